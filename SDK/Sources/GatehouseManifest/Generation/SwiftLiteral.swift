// SPDX-License-Identifier: Apache-2.0

/// Spells values as Swift source.
enum SwiftLiteral {
    /// Returns a string literal in plain ASCII on one line.
    static func string(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case " "..."~": literal.unicodeScalars.append(scalar)
            default: literal += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return literal + "\""
    }

    /// Returns hexadecimal little-endian words for bytes that fill them.
    static func words<Word: FixedWidthInteger>(_ bytes: [UInt8], as type: Word.Type) -> [String] {
        let size = MemoryLayout<Word>.size
        return stride(from: 0, to: bytes.count, by: size).map { start in
            let word = bytes[start..<start + size].reversed().reduce(Word(0)) { $0 << 8 | Word($1) }
            return "0x" + String(word, radix: 16)
        }
    }
}
