// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The body of a form from browsers and Slack: `application/x-www-form-urlencoded`.
struct FormBody: Sendable {
    /// The values as texts by name, in the order of the body; the first of repeated names counts.
    let fields: Members

    /// Parses a body; nil for an invalid escape, or if the result is not UTF-8.
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

    /// Resolves the escapes of a text.
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

    /// Returns the value of a hexadecimal digit.
    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
