// SPDX-License-Identifier: Apache-2.0

/// Strings, numbers and words: the common part of both forms of a value.
extension JSONWriter {
    /// Appends ASCII text as it is.
    package static func write(_ text: StaticString, to bytes: inout [UInt8]) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a whole number.
    static func write(_ magnitude: UInt64, isNegative: Bool, to bytes: inout [UInt8]) {
        var digits = Digits()
        digits.prepend(magnitude)
        if isNegative { digits.prepend(UInt8(ascii: "-")) }
        digits.append(to: &bytes)
    }

    /// Appends a number with the fewest digits that read back the same; one that is not finite becomes null.
    static func write(_ number: Double, to bytes: inout [UInt8]) {
        let thousandths = number.magnitude * 1000 + 0.5
        // Every decimal of up to 15 digits reads as a double of its own, so if one of them reads as this number, no
        // other has as few digits. Within these bounds `description` writes no exponent.
        if thousandths >= 1.5, thousandths < 1e15 {
            let rounded = UInt64(thousandths)
            if Double(rounded) / 1000 == number.magnitude {
                return write(thousandths: rounded, isNegative: number < 0, to: &bytes)
            }
        }
        guard number.isFinite else { return write("null", to: &bytes) }
        var text = number.description
        text.withUTF8 { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a number of thousandths with one to three digits after the point.
    private static func write(thousandths: UInt64, isNegative: Bool, to bytes: inout [UInt8]) {
        let whole = thousandths / 1000
        var fraction = thousandths % 1000
        var places = 3
        while places > 1, fraction % 10 == 0 {
            fraction /= 10
            places -= 1
        }
        var digits = Digits()
        for _ in 0..<places {
            digits.prepend(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction % 10))
            fraction /= 10
        }
        digits.prepend(UInt8(ascii: "."))
        digits.prepend(whole)
        if isNegative { digits.prepend(UInt8(ascii: "-")) }
        digits.append(to: &bytes)
    }

    /// The text of a number, filled from the back.
    private struct Digits {
        /// Room for 20 digits and a sign.
        private var characters = InlineArray<21, UInt8>(repeating: 0)
        /// The first character in use.
        private var start = 21

        /// Prepends a character.
        mutating func prepend(_ character: UInt8) {
            start -= 1
            characters[start] = character
        }

        /// Prepends the digits of a number; one for zero.
        mutating func prepend(_ number: UInt64) {
            var rest = number
            repeat {
                prepend(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            } while rest > 0
        }

        /// Appends the text.
        func append(to bytes: inout [UInt8]) {
            unsafe characters.span.extracting(start..<21).withUnsafeBufferPointer {
                unsafe bytes.append(contentsOf: $0)
            }
        }
    }

    /// Appends a quoted string, escaping only quotes, backslashes and control characters.
    package static func writeString(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { unsafe writeString($0, to: &bytes) }
    }

    /// Appends a quoted string from its UTF-8.
    static func writeString(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var place = unsafe firstEscape(in: text, from: 0)
        guard place < text.count else { return unsafe writePlain(text, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(contentsOf: text[..<place])
        while place < text.count {
            unsafe writeEscaped(text[place], to: &bytes)
            let next = unsafe firstEscape(in: text, from: place + 1)
            unsafe bytes.append(contentsOf: text[(place + 1)..<next])
            place = next
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a quoted string in which nothing needs an escape, as most do not; looks once whether there is room.
    private static func writePlain(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: text.count + 2) { room in
            room.append(UInt8(ascii: "\""))
            unsafe room.withUnsafeMutableBufferPointer { buffer, count in
                guard let end = buffer.baseAddress, let start = text.baseAddress else { return }
                unsafe (end + count).initialize(from: start, count: text.count)
                count += text.count
            }
            room.append(UInt8(ascii: "\""))
        }
    }

    // MARK: - Implementation details

    /// Returns the offset of the first byte, from `start` on, that RFC 8259 forbids inside a string; the end without
    /// one.
    ///
    /// Reads eight bytes at a time: arithmetic on the whole word marks the top bit of each byte that is below 0x20, a
    /// quote or a backslash. A borrow may mark too much, but only above a correct mark, and the lowest counts.
    private static func firstEscape(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = unsafe UnsafeRawPointer(text.baseAddress) else { return start }
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = start
        while place + 8 <= text.count {
            let word = unsafe UInt64(littleEndian: (base + place).loadUnaligned(as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let marks =
                (((word &- ones &* 0x20) & ~word) | ((quotes &- ones) & ~quotes)
                    | ((backslashes &- ones) & ~backslashes)) & (ones &* 0x80)
            if marks != 0 { return place + marks.trailingZeroBitCount >> 3 }
            place += 8
        }
        while place < text.count, unsafe !needsEscape(text[place]) { place += 1 }
        return place
    }

    /// Returns whether RFC 8259 forbids the byte inside a string.
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Appends the escape of a byte that needs one.
    private static func writeEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x00...0x1F:
            write("u00", to: &bytes)
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            let low = byte & 15
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        default: bytes.append(byte)
        }
    }
}
