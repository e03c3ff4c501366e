// SPDX-License-Identifier: Apache-2.0

/// The part of the state that one instance owns: a handle to the plugin's own Swift type.
///
/// JSON is made only on demand. Used in the drain.
public struct Slice {
    /// Holds the state; nil for an instance that keeps none.
    @usableFromInline let box: SliceBox?
    /// Keeps the JSON of the latest version read.
    private let cache = SliceCache()

    /// Creates the slice of an instance that keeps no state.
    public init() { box = nil }

    /// Creates the slice with the state in a box.
    public init(_ box: SliceBox) { self.box = box }

    /// Returns the state under its own type; nil for another type.
    package func state<State: Sendable>(as type: State.Type) -> State? {
        guard let box else { return NoState() as? State }
        return (box as? TypedSliceBox<State>)?.current
    }

    /// Whether the instance keeps no state.
    public var isEmpty: Bool { box == nil }

    /// Grows with each change of the state.
    @inlinable public var version: UInt64 { box?.version ?? 0 }

    /// Returns the state as a value, encoded only after a change; nil for an instance that keeps no state.
    ///
    /// - Throws: `CodingFailure` when the plugin's type does not encode.
    public func value() throws(CodingFailure) -> Value? {
        guard let box else { return nil }
        if let known = cache.value, cache.version == box.version { return known }
        let value = try box.encode()
        cache.value = value
        cache.version = box.version
        return value
    }

    /// Copies the current state for encoding later on another thread; nil for an instance that keeps no state.
    public func copy() -> SliceCopy? {
        guard let box else { return nil }
        if let known = cache.value, cache.version == box.version {
            return { () throws(CodingFailure) in known }
        }
        return box.copy()
    }

    /// Replaces the state by a decoded value.
    ///
    /// - Throws: `CodingFailure` when the value does not fit; the state is unchanged.
    public func restore(_ value: Value) throws(CodingFailure) { try box?.restore(value) }

    /// Takes over the state of another instance of the same image, as it is and without encoding.
    ///
    /// - Returns: false when the other one keeps its state under another type, and nothing has happened. The same type in
    ///   another image is another type.
    public func adopt(_ other: Slice) -> Bool {
        guard let box, let source = other.box else { return box == nil && other.box == nil }
        return box.adopt(source)
    }

    /// The latest encoded JSON, until the slice changes.
    private final class SliceCache {
        /// The version of the encoded state; meaningless before the first time.
        @safe @exclusivity(unchecked) var version: UInt64 = 0
        /// The JSON of that version, nil before the first time.
        @safe @exclusivity(unchecked) var value: Value?
    }
}
