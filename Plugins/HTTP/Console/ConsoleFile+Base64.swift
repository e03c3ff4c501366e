// SPDX-License-Identifier: Apache-2.0

extension ConsoleFile {
    /// Creates a file from compressed content in base64, as written by Scripts/embed-console.
    init(path: String, type: String, etag: String, base64: String) {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var filled: UInt32 = 0
        for character in base64.utf8 {
            guard let digit = Self.digit(character) else { continue }
            bits = bits << 6 | digit
            filled += 6
            guard filled >= 8 else { continue }
            filled -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> filled))
        }
        self.init(path: path, type: type, gzip: bytes, etag: etag)
    }

    /// Returns the value of a digit in base 64; nil for anything else.
    private static func digit(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
