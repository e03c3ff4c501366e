// SPDX-License-Identifier: Apache-2.0

/// Holds one instance's state under a type unknown to the host; touched only in the drain.
open class SliceBox {
    /// Grows with each change; lets outside readers cache results of the state.
    @safe @exclusivity(unchecked) public final var version: UInt64 = 0

    /// Does nothing; for subclasses.
    public init() {}

    /// Returns the state as a value. Subclasses must override.
    ///
    /// - Throws: `CodingFailure` when the plugin's type does not encode.
    open func encode() throws(CodingFailure) -> Value {
        preconditionFailure("SliceBox.encode must be overridden")
    }

    /// Copies the current state for encoding; call the result at most once, later and on any thread.
    ///
    /// Subclasses with cheap copies override it; the default encodes at once.
    open func copy() -> SliceCopy {
        let made = Result { () throws(CodingFailure) in try encode() }
        return { () throws(CodingFailure) in try made.get() }
    }

    /// Replaces the state by a decoded value. Subclasses must override.
    ///
    /// - Throws: `CodingFailure` when the value does not fit; the state is unchanged.
    open func restore(_ value: Value) throws(CodingFailure) {
        preconditionFailure("SliceBox.restore must be overridden")
    }

    /// Takes over the state of another box. Subclasses must override.
    ///
    /// - Returns: false when it holds another type; the state is unchanged.
    open func adopt(_ other: SliceBox) -> Bool { preconditionFailure("SliceBox.adopt must be overridden") }
}

/// Encodes a state that was copied before; callable on any thread.
///
/// Throws when the plugin's type does not encode.
public typealias SliceCopy = @Sendable () throws(CodingFailure) -> Value
