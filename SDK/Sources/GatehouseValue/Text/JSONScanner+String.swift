// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
    /// Reads the string whose opening quote is under the cursor.
    mutating func string() throws(JSONSyntaxError) -> String {
        let open = offset
        offset += 1
        var start = offset
        var unescaped: [UInt8] = []
        while true {
            switch current {
            case UInt8(ascii: "\""):
                let end = offset
                offset += 1
                if unescaped.isEmpty { return text(from: start, to: end) }
                copy(from: start, to: end, into: &unescaped)
                return String(decoding: unescaped, as: UTF8.self)
            case UInt8(ascii: "\\"):
                copy(from: start, to: offset, into: &unescaped)
                try escape(into: &unescaped, open: open)
                start = offset
            case 0x00...0x1F:
                guard offset < count else { throw failure(.unterminatedString, at: open) }
                throw failure(.controlCharacter(current), at: offset)
            case 0x20...0x7F: offset += 1
            default:
                let length = scalarLength(at: offset)
                guard length > 0 else { throw failure(.invalidUTF8, at: offset) }
                offset += length
            }
        }
    }

    /// Reads the escape whose backslash is under the cursor.
    private mutating func escape(into buffer: inout [UInt8], open: Int) throws(JSONSyntaxError) {
        let backslash = offset
        let byte: UInt8
        switch self.byte(at: backslash + 1) {
        case let same where "\"\\/".utf8.contains(same): byte = same
        case UInt8(ascii: "b"): byte = 0x08
        case UInt8(ascii: "f"): byte = 0x0C
        case UInt8(ascii: "n"): byte = 0x0A
        case UInt8(ascii: "r"): byte = 0x0D
        case UInt8(ascii: "t"): byte = 0x09
        case UInt8(ascii: "u"): return try unicodeEscape(into: &buffer)
        default:
            guard backslash + 1 < count else { throw failure(.unterminatedString, at: open) }
            guard let found = scalar(at: backslash + 1) else {
                throw failure(.invalidUTF8, at: backslash + 1)
            }
            throw failure(.unknownEscape(found), at: backslash)
        }
        buffer.append(byte)
        offset += 2
    }

    /// Reads `\uXXXX`, or two of them that form a surrogate pair.
    private mutating func unicodeEscape(into buffer: inout [UInt8]) throws(JSONSyntaxError) {
        let first = try codeUnit(at: offset)
        var value = UInt32(first)
        var length = 6
        if (0xD800...0xDFFF).contains(first) {
            guard first < 0xDC00, byte(at: offset + 6) == UInt8(ascii: "\\"),
                byte(at: offset + 7) == UInt8(ascii: "u")
            else { throw failure(.loneSurrogate(first), at: offset) }
            let second = try codeUnit(at: offset + 6)
            guard (0xDC00...0xDFFF).contains(second) else { throw failure(.loneSurrogate(first), at: offset) }
            value = 0x10000 + (UInt32(first & 0x3FF) << 10) + UInt32(second & 0x3FF)
            length = 12
        }
        guard let scalar = Unicode.Scalar(value) else { throw failure(.loneSurrogate(first), at: offset) }
        buffer.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        offset += length
    }

    /// Reads the four hexadecimal digits of the escape whose backslash is at an offset.
    private mutating func codeUnit(at backslash: Int) throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for place in backslash + 2..<backslash + 6 {
            guard let digit = Character(Unicode.Scalar(byte(at: place))).hexDigitValue else {
                throw failure(.incompleteUnicodeEscape, at: backslash)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
