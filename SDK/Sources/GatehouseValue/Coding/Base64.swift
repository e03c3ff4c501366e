// SPDX-License-Identifier: Apache-2.0

/// Bytes as text (RFC 4648, with padding): the form of `Data` in JSON.
enum Base64 {
    /// The digits, by their values.
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each digit by its letter; 64 for other letters.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Returns the text of an array of bytes; nil for anything else.
    static func text(of array: Value) -> String? {
        guard let elements = array.arrayValue else { return nil }
        let bytes = elements.compactMap { $0.intValue.flatMap { UInt8(exactly: $0) } }
        guard bytes.count == elements.count else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - UInt32(group.count)))
            for place in 0..<4 {
                let digit = digits[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= group.count ? digit : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text; nil for invalid text, including nonzero bits after the last byte.
    static func bytes(of text: String) -> [UInt8]? {
        var text = Array(text.utf8)
        guard text.count % 4 == 0 else { return nil }
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        text.removeLast(padding)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, count) = (UInt32(0), UInt32(0))
        for letter in text {
            let digit = values[Int(letter)]
            guard digit < 64 else { return nil }
            bits = bits << 6 | UInt32(digit)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                bits &= 1 << count - 1
            }
        }
        return bits == 0 ? bytes : nil
    }
}
