// SPDX-License-Identifier: Apache-2.0

/// Reads the host's whole state as JSON, for plugins that listen to others.
///
/// Callable where the store calls its middlewares: in the drain. In `handle` it returns the state before the action's
/// reducers, in the returned `IO` the state after them. Anywhere else, also in a reducer, a host's reader returns nil.
///
/// It encodes each slice it touches, once for each version; point as deep as possible.
///
/// ```swift
/// let offset = context.state?(JSONPointer(tokens: ["stove", "offset"]))?.doubleValue ?? 0
/// ```
public struct HostStateReader: Sendable {
    /// Looks the value up.
    private let read: @Sendable (JSONPointer) -> Value?

    /// Creates a reader from a closure.
    ///
    /// The closure receives the place to read. It must be callable from any thread, and return nil outside the drain
    /// unless it guards its data in another way.
    public init(_ read: @escaping @Sendable (JSONPointer) -> Value?) {
        self.read = read
    }

    /// Returns the current value at a place, nil when there is nothing.
    public func callAsFunction(_ pointer: JSONPointer = .whole) -> Value? { read(pointer) }
}
