// SPDX-License-Identifier: Apache-2.0

/// Reads the host's whole state as JSON, for plugins that listen to others.
///
/// Called where the store calls its middlewares: in the drain. Called in `handle` it gives the state before the action's
/// reducers, called in the returned `IO` the state after them. A host gives nil when it is called anywhere else, in a
/// reducer too.
///
/// Each slice it touches is encoded, once for each version; point as deep as possible.
public struct HostStateReader: Sendable {
    /// Looks the value up.
    private let read: @Sendable (JSONPointer) -> Value?

    /// A reader around a closure.
    ///
    /// The closure is told where to look. It must be callable from any thread, and give nil outside the drain unless it
    /// guards what it reads in another way.
    public init(_ read: @escaping @Sendable (JSONPointer) -> Value?) {
        self.read = read
    }

    /// What is at a place as it is now, nil when there is nothing.
    public func callAsFunction(_ pointer: JSONPointer = .whole) -> Value? {
        read(pointer)
    }
}
