// SPDX-License-Identifier: Apache-2.0

extension TapeView {
    /// Whether this is null.
    @inlinable
    public var isNull: Bool { tape.tag(at: index) == TapeTag.null }

    /// True or false; nil for every other kind.
    @inlinable
    public var boolValue: Bool? {
        switch tape.tag(at: index) {
        case TapeTag.yes: true
        case TapeTag.no: false
        default: nil
        }
    }

    /// The number when it is whole and fits `Int`, also when written as `1.0`; otherwise nil.
    @inlinable
    public var intValue: Int? { integer(Int.self) }

    /// The number when it is whole and fits the type; big numbers are read from their text.
    @inlinable
    public func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        switch tape.tag(at: index) {
        case TapeTag.integer: Number(exactly: Int64(bitPattern: tape.word(at: index + 1)))
        case TapeTag.unsigned: Number(exactly: tape.word(at: index + 1))
        case TapeTag.double: Number(exactly: Double(bitPattern: tape.word(at: index + 1)))
        case TapeTag.bigNumber: Number.bitWidth > 64 ? Number(storedText) : nil
        default: nil
        }
    }

    /// The number rounded to the nearest `Double`; nil for other kinds and for numbers beyond its range.
    @inlinable
    public var doubleValue: Double? {
        switch tape.tag(at: index) {
        case TapeTag.double: Double(bitPattern: tape.word(at: index + 1))
        case TapeTag.integer: Double(Int64(bitPattern: tape.word(at: index + 1)))
        case TapeTag.unsigned: Double(tape.word(at: index + 1))
        case TapeTag.bigNumber: bigDouble
        default: nil
        }
    }

    /// The text; nil for every other kind. Up to 15 bytes it takes no allocation.
    @inlinable
    public var stringValue: String? { tape.tag(at: index) == TapeTag.string ? storedText : nil }

    /// Whether this is a string with exactly these code points; allocates nothing.
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

    /// A big number that `Double` can approximate.
    @usableFromInline
    var bigDouble: Double? {
        guard let value = Double(storedText), value.isFinite else { return nil }
        return value
    }
}
