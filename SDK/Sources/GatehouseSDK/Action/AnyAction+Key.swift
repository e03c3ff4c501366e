// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

extension AnyAction {
    /// The longest text that a key keeps as it is, in bytes of UTF-8.
    private static let longestKey = 200

    /// What tells the action from others by a place in its payload: the text there, or the JSON of what else is; nil for nothing.
    ///
    /// Of more than 200 bytes the beginning is kept, with a number that stands for all of it, so that a state can have many keys in
    /// bounded memory.
    public func key(at place: JSONPointer) -> String? {
        guard let value = payload(at: place) else { return nil }
        let text = value.stringValue ?? value.json()
        return text.utf8.count <= Self.longestKey ? text : Self.shortened(text)
    }

    /// The beginning of a long text, with its hash (FNV-1a).
    private static func shortened(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        // A character may have any number of bytes, so whole scalars are counted.
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
