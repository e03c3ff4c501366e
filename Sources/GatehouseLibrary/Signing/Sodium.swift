// SPDX-License-Identifier: Apache-2.0

private import CSodium

/// The three functions of libsodium that a signature takes.
package enum Sodium {
    /// Whether the library has chosen its implementations for this processor; without them it works more slowly.
    private static let isReady = sodium_init() >= 0

    /// The bytes of base64 text without spaces, in its one canonical form; nil for anything else.
    package static func bytes(ofBase64 text: [UInt8]) -> [UInt8]? {
        // libsodium 1.0.18 takes each byte from 0x80 on for a "/".
        guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
        var bytes = [UInt8](repeating: 0, count: text.count)
        var count = 0
        let failed = unsafe text.withUnsafeBytes { text in
            unsafe sodium_base642bin(
                &bytes, bytes.count, text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, nil,
                &count, nil, sodium_base64_VARIANT_ORIGINAL)
        }
        return failed == 0 ? Array(bytes[..<count]) : nil
    }

    /// BLAKE2b of bytes, 64 bytes long.
    static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        _ = isReady
        var digest = [UInt8](repeating: 0, count: 64)
        _ = unsafe crypto_generichash(
            &digest, digest.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
            UInt64(bytes.count), nil, 0)
        return digest
    }

    /// Whether an Ed25519 key has signed a message; refuses keys and signatures that are not canonical.
    static func isSigned(_ message: [UInt8], by key: MinisignKey, _ signature: [UInt8]) -> Bool {
        _ = isReady
        guard signature.count == 64, key.bytes.count == 32 else { return false }
        return unsafe crypto_sign_ed25519_verify_detached(
            signature, message, UInt64(message.count), key.bytes) == 0
    }
}
