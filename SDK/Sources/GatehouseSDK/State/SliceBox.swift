// SPDX-License-Identifier: Apache-2.0

/// Holds one instance's state under a type the host does not know; touched only in the drain.
open class SliceBox {
    /// Grows with each change; lets readers outside keep what they made of the state.
    public final var version: UInt64 = 0

    /// Does nothing; it is there for subclasses.
    public init() {}

    /// The state as a value. Subclasses must override.
    ///
    /// - Throws: `CodingFailure` when the plugin's type does not encode.
    open func encode() throws(CodingFailure) -> Value {
        preconditionFailure("SliceBox.encode must be overridden")
    }

    /// Makes a value of the state as it is now; what this returns may be called once, later and on another thread.
    ///
    /// Subclasses whose state can be copied for little override it; without, the value is made at once.
    open func copy() -> SliceCopy {
        let made = Result { () throws(CodingFailure) in try encode() }
        return { () throws(CodingFailure) in try made.get() }
    }

    /// Replaces the state by a decoded value. Subclasses must override.
    ///
    /// - Throws: `CodingFailure` when the value does not fit; the state is as it was.
    open func restore(_ value: Value) throws(CodingFailure) {
        preconditionFailure("SliceBox.restore must be overridden")
    }

    /// Takes over the state of another box. Subclasses must override.
    ///
    /// - Returns: false when it holds another type; the state is as it was.
    open func adopt(_ other: SliceBox) -> Bool {
        preconditionFailure("SliceBox.adopt must be overridden")
    }
}

/// Makes a value of a state that was copied before; callable on any thread.
///
/// It throws when the plugin's type does not encode.
public typealias SliceCopy = @Sendable () throws(CodingFailure) -> Value
