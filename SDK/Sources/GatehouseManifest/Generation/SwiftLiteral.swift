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

    /// Returns hexadecimal little-endian words for bytes whose number is a multiple of 8.
    ///
    /// - Parameter perLine: the number of words on one line.
    static func words(_ bytes: [UInt8], perLine: Int) -> String {
        var text = ""
        for (index, start) in stride(from: 0, to: bytes.count, by: 8).enumerated() {
            var word: UInt64 = 0
            for byte in bytes[start..<start + 8].reversed() { word = word << 8 | UInt64(byte) }
            text += (index % perLine == 0 ? "\n    " : " ") + "0x" + String(word, radix: 16) + ","
        }
        return text
    }
}
