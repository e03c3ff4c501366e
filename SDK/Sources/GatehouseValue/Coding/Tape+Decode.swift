// SPDX-License-Identifier: Apache-2.0

/// Decoding at an index, for callers without a decoder: making one for each member would retain the tape.
///
/// `origin` is the first word of the value at which paths in errors start.
extension Tape {
    /// Decodes true or false.
    @usableFromInline
    func decode(_ type: Bool.Type, at index: Int, origin: UInt32) throws -> Bool {
        guard let value = bool(at: index) else {
            throw TapeDecoder(tape: self, index: index, origin: origin).mismatch(type, "a boolean")
        }
        return value
    }

    /// Decodes the string that begins at this word of the tape.
    @usableFromInline
    func decode(_ type: String.Type, at index: Int, origin: UInt32) throws -> String {
        guard tag(at: index) == TapeTag.string else {
            throw TapeDecoder(tape: self, index: index, origin: origin).mismatch(type, "a string")
        }
        return text(at: index)
    }

    /// Decodes a number, rounded to the nearest double.
    @usableFromInline
    func decode(_ type: Double.Type, at index: Int, origin: UInt32) throws -> Double {
        guard let value = double(at: index) else {
            throw TapeDecoder(tape: self, index: index, origin: origin)
                .misfit(type, "a number", range: "a number that Double can hold")
        }
        return value
    }

    /// Decodes a number, rounded twice: to a double, then to a float.
    @usableFromInline
    func decode(_ type: Float.Type, at index: Int, origin: UInt32) throws -> Float {
        guard let value = double(at: index).map(Float.init), value.isFinite else {
            throw TapeDecoder(tape: self, index: index, origin: origin)
                .misfit(type, "a number", range: "a number that Float can hold")
        }
        return value
    }

    /// Decodes a whole number of any width, also one written as `1.0`.
    @inlinable
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at index: Int, origin: UInt32) throws
        -> Number
    {
        guard let value: Number = integer(at: index) else {
            throw TapeDecoder(tape: self, index: index, origin: origin)
                .misfit(type, "an integer", range: "an integer from \(Number.min) to \(Number.max)")
        }
        return value
    }

    /// Decodes a whole number, also one written as `1.0`.
    @usableFromInline
    func decode(_ type: Int.Type, at index: Int, origin: UInt32) throws -> Int {
        try integer(type, at: index, origin: origin)
    }
}
