// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// What stands for a key in the state: the text at a place of a payload, or the JSON of what else is there.
enum KeyText {
    /// The longest text that is kept as it is, in bytes of UTF-8.
    static let longest = 200

    /// The key of an action; nil where it has nothing at the place.
    static func key(of action: AnyAction, at place: JSONPointer) -> String? {
        guard let value = action.payload(at: place) else { return nil }
        let text = value.stringValue ?? value.json()
        return text.utf8.count <= longest ? text : shortened(text)
    }

    /// The beginning of a long text, with a number that stands for all of it.
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
