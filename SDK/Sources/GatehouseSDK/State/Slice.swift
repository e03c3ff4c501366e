// SPDX-License-Identifier: Apache-2.0

/// The part of the state that one instance owns: a handle to the plugin's own Swift type.
///
/// JSON is made only when somebody outside looks. Used in the drain.
public struct Slice {
    /// Holds the state; nil for an instance that keeps none.
    @usableFromInline let box: SliceBox?
    /// Keeps the JSON of the version seen last.
    private let cache = SliceCache()

    /// The slice of an instance that keeps no state.
    public init() { box = nil }

    /// The slice whose state is in a box.
    public init(_ box: SliceBox) { self.box = box }

    /// The state under its own type; nil for another type.
    package func state<State: Sendable>(as type: State.Type) -> State? {
        guard let box else { return NoState() as? State }
        return (box as? TypedSliceBox<State>)?.current
    }

    /// Whether the instance keeps no state.
    public var isEmpty: Bool { box == nil }

    /// Grows with each change of the state.
    @inlinable public var version: UInt64 { box?.version ?? 0 }

    /// The state as a value; made again only after a change. Nil for an instance that keeps no state.
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

    /// Makes a value of the state as it is now, later and on another thread; nil for an instance that keeps no state.
    public func copy() -> SliceCopy? {
        guard let box else { return nil }
        if let known = cache.value, cache.version == box.version {
            return { () throws(CodingFailure) in known }
        }
        return box.copy()
    }

    /// Replaces the state by a decoded value.
    ///
    /// - Throws: `CodingFailure` when the value does not fit; the state is as it was.
    public func restore(_ value: Value) throws(CodingFailure) {
        try box?.restore(value)
    }

    /// Takes over the state of another instance of the same image, as it is and without encoding.
    ///
    /// - Returns: false when the other one keeps its state under another type, and nothing has happened. The same type in
    ///   another image is another type.
    public func adopt(_ other: Slice) -> Bool {
        guard let box, let source = other.box else { return box == nil && other.box == nil }
        return box.adopt(source)
    }

    /// The JSON that was encoded last, until the slice changes.
    private final class SliceCache {
        /// The version of the state that was encoded; means nothing before the first time.
        var version: UInt64 = 0
        /// The JSON of that version, nil before the first time.
        var value: Value?
    }
}
