// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// A watch on a host: objects with an `action` or a `state`, as from the method `watch` of the control protocol.
///
/// Read by one task at a time. The host keeps 1 MiB for a slow reader; more ends the sequence with a failure.
public struct HostNews: AsyncSequence, Sendable {
    /// Waits for the next object; nil when the task is cancelled.
    private let take: @Sendable () async throws(HostControl.Failure) -> Value?

    /// Creates news from a closure, which waits for the next object and returns nil at the end.
    public init(_ take: @escaping @Sendable () async throws(HostControl.Failure) -> Value?) {
        self.take = take
    }

    public func makeAsyncIterator() -> Iterator { Iterator(take: take) }

    /// Waits for one object after the other.
    public struct Iterator: AsyncIteratorProtocol {
        /// Waits for the next object.
        fileprivate let take: @Sendable () async throws(HostControl.Failure) -> Value?

        public mutating func next() async throws(HostControl.Failure) -> Value? { try await take() }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HostControl.Failure) -> Value? { try await take() }
    }
}
