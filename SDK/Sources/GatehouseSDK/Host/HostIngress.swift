// SPDX-License-Identifier: Apache-2.0

/// Hands actions to the host as one of its inputs does, and tells when they are processed.
///
/// For plugins that are themselves an input, such as a server: whoever brought something is to be told when it is done. What an
/// instance emits otherwise needs none of it.
public struct HostIngress: Sendable {
    /// Why an action was not processed.
    public enum Failure: Error, Equatable, Sendable {
        /// The host does not take it, for this reason.
        case refused(String)
        /// The host ends; nothing is taken any more.
        case ended
    }

    /// Takes an action, and comes back when it is processed.
    private let take: @Sendable (AnyAction) async throws(Failure) -> Void

    /// An input around a closure, which must be callable from any task.
    public init(_ take: @escaping @Sendable (AnyAction) async throws(Failure) -> Void) {
        self.take = take
    }

    /// Waits until an action, under its global type, is processed with everything that it leads to synchronously.
    ///
    /// What one task hands over one after the other is processed in that order. Many tasks may wait at the same time.
    public func dispatch(_ action: AnyAction) async throws(Failure) { try await take(action) }
}
