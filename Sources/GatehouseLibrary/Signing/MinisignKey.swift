// SPDX-License-Identifier: Apache-2.0

/// A public key in the form of minisign.
package struct MinisignKey: Hashable, Sendable {
    /// The number that a key's signatures name it by, in 16 hexadecimal digits as minisign shows it.
    ///
    /// Whoever makes a key can choose it; it finds a key and proves nothing.
    package struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The digits, in upper case.
        package let description: String

        /// The number in the eight bytes of a key or a signature, the lowest first.
        init(_ bytes: ArraySlice<UInt8>) {
            description = bytes.reversed().map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }.joined()
        }

        /// Reads 16 digits, in upper or lower case; nil for anything else.
        package init?(_ text: String) {
            guard text.utf8.count == 16, text.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit) else {
                return nil
            }
            description = text.uppercased()
        }
    }

    /// The number that its signatures name.
    package let id: ID
    /// The 32 bytes of the Ed25519 key.
    let bytes: [UInt8]
    /// The line of text that minisign prints and takes, `RW…`.
    package let text: String

    /// Reads the line that minisign prints; nil for anything else.
    package init?(_ text: String) {
        // The two letters Ed, the number, the key.
        guard let decoded = Sodium.bytes(ofBase64: Array(text.utf8)), decoded.count == 42,
            decoded.starts(with: "Ed".utf8)
        else { return nil }
        id = ID(decoded[2..<10])
        bytes = Array(decoded[10...])
        self.text = text
    }
}
