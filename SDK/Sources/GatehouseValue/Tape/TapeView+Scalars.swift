// SPDX-License-Identifier: Apache-2.0

extension TapeView {
    /// Whether this is null.
    @inlinable
    public var isNull: Bool { tape.tag(at: index) == TapeTag.null }

    /// True or false; nil for every other kind.
    @inlinable
    public var boolValue: Bool? { tape.bool(at: index) }

    /// The number when it is whole and fits `Int`, also when written as `1.0`; otherwise nil.
    @inlinable
    public var intValue: Int? { integer(Int.self) }

    /// Returns the number when it is whole and fits the type; reads big numbers from their text.
    @inlinable
    public func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? { tape.integer(at: index) }

    /// The number rounded to the nearest `Double`; nil for other kinds and for numbers beyond its range.
    @inlinable
    public var doubleValue: Double? { tape.double(at: index) }

    /// The text; nil for every other kind. Up to 15 bytes without an allocation.
    @inlinable
    public var stringValue: String? { tape.tag(at: index) == TapeTag.string ? storedText : nil }

    /// Returns whether this is a string with exactly these code points; allocates nothing.
    public func equals(_ text: String) -> Bool {
        tape.tag(at: index) == TapeTag.string && tape.text(at: index, equals: text)
    }

    /// Calls `body` with the UTF-8 of a string, or returns nil for every other kind.
    ///
    /// Safety: the bytes are valid only during the call.
    @inlinable
    public func withUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        tape.tag(at: index) == TapeTag.string ? unsafe tape.withUTF8(at: index, body) : nil
    }

    /// The text of a string or big number.
    @usableFromInline
    var storedText: String { tape.text(at: index) }
}
