// SPDX-License-Identifier: Apache-2.0

import Testing

/// Bytes as a text that people can compare: printable ASCII as it is, and every other byte as `\xNN`.
struct WireText: Equatable, CustomStringConvertible {
    /// The text.
    let description: String

    /// The text of some bytes.
    init(_ bytes: some Sequence<UInt8>) {
        description = bytes.map { byte in
            if (0x20..<0x7f).contains(byte), byte != UInt8(ascii: "\\") {
                return String(Unicode.Scalar(byte))
            }
            let digits = String(byte, radix: 16)
            return "\\x" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }

    /// The bytes of a text.
    ///
    /// - Throws: that it is none of these.
    static func bytes(of text: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "\\") else {
                bytes.append(first)
                continue
            }
            try #require(rest.popFirst() == UInt8(ascii: "x"))
            bytes.append(try #require(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)))
            rest.removeFirst(2)
        }
        return bytes
    }
}
