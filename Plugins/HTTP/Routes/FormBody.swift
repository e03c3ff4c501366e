// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The body of a form as browsers and Slack send it: `application/x-www-form-urlencoded`.
struct FormBody: Sendable {
    /// The values as texts by their names; of a name that is there twice the first, in which order they came.
    let fields: Members

    /// Takes a body apart; nil where an escape is none, or what comes of it is no UTF-8.
    init?(_ body: [UInt8]) {
        var fields = Members()
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.text(parts[0]), let value = Self.text(parts.count > 1 ? parts[1] : [])
            else { return nil }
            if fields[name] == nil { fields[name] = .string(value) }
        }
        self.fields = fields
    }

    /// A text without its escapes.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "+"): plain.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < bytes.endIndex, let high = digit(bytes[index + 1]),
                    let low = digit(bytes[index + 2])
                else { return nil }
                plain.append(high << 4 | low)
                index += 2
            case let byte: plain.append(byte)
            }
            index += 1
        }
        return String(validating: plain, as: UTF8.self)
    }

    /// The number that a hexadecimal digit stands for.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
