// SPDX-License-Identifier: Apache-2.0

import CNettle

/// Signs and compares, in a time that does not depend on the difference.
///
/// `unsafe` because nettle takes memory by its address.
enum Signature {
    /// Returns the HMAC-SHA256 of a message, 32 bytes.
    static func of(_ message: [UInt8], with secret: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        unsafe nettle_hmac_sha256_set_key(&context, secret.count, secret)
        unsafe nettle_hmac_sha256_update(&context, message.count, message)
        unsafe nettle_hmac_sha256_digest(&context, digest.count, &digest)
        return digest
    }

    /// Returns the SHA-256 of a message, 32 bytes.
    static func digest(of message: [UInt8]) -> [UInt8] {
        var context = sha256_ctx()
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        unsafe nettle_sha256_init(&context)
        unsafe nettle_sha256_update(&context, message.count, message)
        unsafe nettle_sha256_digest(&context, digest.count, &digest)
        return digest
    }

    /// Returns whether two texts are the same, byte by byte.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        unsafe one.count == other.count && nettle_memeql_sec(one, other, one.count) != 0
    }

    /// Returns whether a request is signed with one of the secrets, all of which are tried even if the first matches.
    ///
    /// - Parameters:
    ///   - field: the value of the header.
    ///   - secrets: one or two.
    static func isValid(
        _ field: String, of message: [UInt8], for hook: Hook, secrets: [[UInt8]]
    ) -> Bool {
        guard field.hasPrefix(hook.signaturePrefix) else { return false }
        let text = Array(field.utf8.dropFirst(hook.signaturePrefix.utf8.count))
        let isHex = hook.signatureEncoding == .hex
        return isAny([isHex ? text.map(lowered) : text], expectedOf: secrets) { secret in
            switch hook.signatureEncoding {
            case .hex: hex(of(message, with: secret))
            case .base64: base64(of(message, with: secret))
            case .plain: secret
            }
        }
    }

    /// Returns whether one of some texts is the one expected of a secret; compares all.
    static func isAny(
        _ given: [[UInt8]], expectedOf secrets: [[UInt8]], _ expected: ([UInt8]) -> [UInt8]
    ) -> Bool {
        secrets.map(expected).count { text in given.count { areEqual(text, $0) } > 0 } > 0
    }

    /// Lower-cases a hexadecimal digit.
    private static func lowered(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte ? byte | 0x20 : byte
    }

    /// Returns bytes as lower-case hexadecimal digits.
    static func hex(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// The letters of base 64, in the order of their values.
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns bytes in base 64, with padding.
    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let rest = bytes[place...].prefix(3)
            let word = rest.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - rest.count))
            for digit in 0..<4 {
                text.append(
                    digit <= rest.count ? letters[word >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
            }
            place += 3
        }
        return text
    }

    /// Decodes base 64, with or without padding; nil for invalid text.
    static func bytes(ofBase64 text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (word, bits, fill) = (0, 0, 0)
        for letter in text {
            if letter == UInt8(ascii: "=") {
                fill += 1
                continue
            }
            guard fill == 0, let digit = letters.firstIndex(of: letter) else { return nil }
            word = (word << 6 | digit) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(word >> bits & 0xFF))
            }
        }
        // A single letter at the end encodes no byte, and unused bits of the last one must be zero.
        return bits < 6 && fill <= 2 && word & (1 << bits - 1) == 0 ? bytes : nil
    }
}
