// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What somebody watches of a host: objects with an `action` or a `state`, as the method `watch` of the control protocol tells them.
///
/// Read by one task at a time. The host keeps 1 MiB for who reads slowly; what comes then ends the sequence with a failure.
public struct HostNews: AsyncSequence, Sendable {
    /// Waits for what comes next; nil when the task is cancelled.
    private let take: @Sendable () async throws(HostControl.Failure) -> Value?

    /// News from a closure, which waits for the next and gives nil at their end.
    public init(_ take: @escaping @Sendable () async throws(HostControl.Failure) -> Value?) {
        self.take = take
    }

    public func makeAsyncIterator() -> Iterator { Iterator(take: take) }

    /// Waits for one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        /// Waits for what comes next.
        fileprivate let take: @Sendable () async throws(HostControl.Failure) -> Value?

        public mutating func next() async throws(HostControl.Failure) -> Value? { try await take() }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HostControl.Failure) -> Value? { try await take() }
    }
}
