// SPDX-License-Identifier: Apache-2.0

/// Scalars by index, for callers without a view: making one would retain the tape.
extension Tape {
    /// Returns true or false; nil for every other kind.
    @inlinable
    func bool(at index: Int) -> Bool? {
        switch tag(at: index) {
        case TapeTag.yes: true
        case TapeTag.no: false
        default: nil
        }
    }

    /// Returns a number that is whole and fits the type; nil for all others.
    @inlinable
    func integer<Number: FixedWidthInteger>(at index: Int) -> Number? {
        switch tag(at: index) {
        case TapeTag.integer: Number(exactly: Int64(bitPattern: word(at: index + 1)))
        case TapeTag.unsigned: Number(exactly: word(at: index + 1))
        case TapeTag.double: Number(exactly: Double(bitPattern: word(at: index + 1)))
        case TapeTag.bigNumber: Number.bitWidth > 64 ? Number(text(at: index)) : nil
        default: nil
        }
    }

    /// Returns a number rounded to the nearest `Double`; nil beyond its range and for every other kind.
    @inlinable
    func double(at index: Int) -> Double? {
        switch tag(at: index) {
        case TapeTag.double: return Double(bitPattern: word(at: index + 1))
        case TapeTag.integer: return Double(Int64(bitPattern: word(at: index + 1)))
        case TapeTag.unsigned: return Double(word(at: index + 1))
        case TapeTag.bigNumber:
            guard let value = Double(text(at: index)), value.isFinite else { return nil }
            return value
        default: return nil
        }
    }
}
