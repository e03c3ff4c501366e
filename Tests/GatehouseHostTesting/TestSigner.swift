// SPDX-License-Identifier: Apache-2.0

private import CSodium

/// Signs as minisign does, by a key that follows from a seed.
public struct TestSigner: Sendable {
    /// The line of the public key, `RW…`.
    public let publicKey: String
    /// The number of the key, as minisign shows it.
    public let id: String
    /// The number as it is in keys and signatures.
    private let number: [UInt8]
    /// The secret half.
    private let secret: [UInt8]

    /// A key; the number is the seed's unless it is given.
    public init(seed: UInt8, number: UInt8? = nil) {
        var (key, secret) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 64))
        _ = unsafe crypto_sign_ed25519_seed_keypair(&key, &secret, [UInt8](repeating: seed, count: 32))
        let digit = number ?? seed
        self.secret = secret
        self.number = Array(repeating: digit, count: 8)
        id = String(
            repeating: (digit < 16 ? "0" : "") + String(digit, radix: 16, uppercase: true), count: 8)
        publicKey = Self.base64("Ed".utf8 + self.number + key)
    }

    /// The signature of bytes with a comment, as the text of a file.
    public func sign(_ bytes: [UInt8], _ comment: String) -> String {
        let signature = sign(Self.digest(bytes))
        return """
            untrusted comment: signature from minisign secret key
            \(Self.base64("ED".utf8 + number + signature))
            trusted comment: \(comment)
            \(Self.base64(sign(signature + Array(comment.utf8))))

            """
    }

    /// The signature of a library without companions.
    ///
    /// - Parameter digest: SHA-256 of the bytes, in hexadecimal.
    public func sign(library bytes: [UInt8], id: String, version: String, serial: Int, digest: String)
        -> String
    {
        sign(bytes, "gatehouse plugin id=\(id) version=\(version) serial=\(serial) sha256=\(digest)")
    }

    /// The signature of a list of what is withdrawn.
    public func sign(list: String, serial: Int) -> String {
        sign(Array(list.utf8), "gatehouse revocations serial=\(serial)")
    }

    /// The signature of an index.
    public func sign(index: String, serial: Int) -> String {
        sign(Array(index.utf8), "gatehouse index serial=\(serial)")
    }

    /// Ed25519 of a message.
    private func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 64)
        _ = unsafe crypto_sign_ed25519_detached(&signature, nil, message, UInt64(message.count), secret)
        return signature
    }

    /// BLAKE2b.
    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64)
        _ = unsafe crypto_generichash(&digest, digest.count, bytes, UInt64(bytes.count), nil, 0)
        return digest
    }

    /// Base64 with padding.
    private static func base64(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var text = [CChar](repeating: 0, count: bytes.count * 4 / 3 + 5)
        _ = unsafe sodium_bin2base64(
            &text, text.count, bytes, bytes.count, sodium_base64_VARIANT_ORIGINAL)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
