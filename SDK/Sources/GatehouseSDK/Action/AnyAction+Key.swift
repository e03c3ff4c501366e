// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

extension AnyAction {
    /// The longest text kept whole as a key, in bytes of UTF-8.
    private static let longestKey = 200

    /// Returns the key at a place in the payload: a text as it is, other values as JSON; nil for nothing.
    ///
    /// A key above 200 bytes is cut, and a hash of the whole is appended, so that a state can have many keys in bounded
    /// memory.
    public func key(at place: JSONPointer) -> String? {
        guard let value = payload(at: place) else { return nil }
        let text = value.stringValue ?? value.json()
        return text.utf8.count <= Self.longestKey ? text : Self.shortened(text)
    }

    /// Returns the beginning of a long text, with its hash (FNV-1a).
    private static func shortened(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        // A character may have any number of bytes, so this counts whole scalars.
        var beginning = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= 160 else { break }
            beginning.append(scalar)
        }
        return "\(String(beginning))…\(String(repeating: "0", count: 16 - digits.count))\(digits)"
    }
}
