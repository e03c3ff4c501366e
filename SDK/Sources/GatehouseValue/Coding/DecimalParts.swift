// SPDX-License-Identifier: Apache-2.0

/// The parts of Foundation's `Decimal`: up to 38 digits and a power of ten.
struct DecimalParts: Equatable {
    /// The digits as a whole number.
    let mantissa: UInt128
    /// The power of ten that multiplies them, in the type's own range.
    let exponent: Int8
    /// Whether the number is less than zero.
    let isNegative: Bool

    /// Takes the parts from the type's own encoding; nil for anything else, and for NaN.
    init?(_ own: Value) {
        guard let exponent = own["exponent"]?.intValue.flatMap({ Int8(exactly: $0) }),
            let isNegative = own["isNegative"]?.boolValue, let length = own["length"]?.intValue,
            let words = own["mantissa"]?.arrayValue, words.count == 8, length > 0 || !isNegative
        else { return nil }
        var mantissa: UInt128 = 0
        for word in words.prefix(max(0, length)).reversed() {
            guard let word = word.intValue.flatMap({ UInt16(exactly: $0) }) else { return nil }
            mantissa = mantissa << 16 | UInt128(word)
        }
        self.mantissa = mantissa
        self.exponent = exponent
        self.isNegative = isNegative
    }

    /// Takes the parts from a number in JSON; nil if the type cannot hold it exactly.
    init?(_ text: String) {
        let number = DecimalNumber(text)
        var (mantissa, exponent) = (UInt128(0), number.exponent)
        for digit in number.digits {
            let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
            let (sum, overflowAgain) = product.addingReportingOverflow(UInt128(digit & 15))
            if overflow || overflowAgain { return nil }
            mantissa = sum
        }
        // Move excess power into the digits.
        while exponent > Int(Int8.max), !mantissa.multipliedReportingOverflow(by: 10).overflow {
            mantissa *= 10
            exponent -= 1
        }
        guard let exponent = Int8(exactly: exponent) else { return nil }
        self.mantissa = mantissa
        self.exponent = exponent
        isNegative = number.isNegative
    }

    /// The value that the type decodes.
    var value: Value {
        let words = (0..<8).map { UInt16(truncatingIfNeeded: mantissa >> (16 * UInt128($0))) }
        let length = 8 - words.reversed().prefix { $0 == 0 }.count
        return [
            "exponent": .integer(Int64(exponent)), "length": .integer(Int64(length)),
            "isNegative": .bool(isNegative && mantissa != 0), "isCompact": true,
            "mantissa": .array(words.map { .integer(Int64($0)) }),
        ]
    }

    /// The number in JSON; nil if that is not exact: whole ones may have any number of digits, others 15 in any case.
    ///
    /// Without a power of ten where that takes no more than 40 letters.
    var number: Value? {
        var digits = Array("\(mantissa)")
        var power = Int(exponent)
        if mantissa == 0 { power = 0 }
        while power < 0, digits.count > 1, digits.last == "0" {
            digits.removeLast()
            power += 1
        }
        if power > 0, digits.count + power <= 40 {
            digits += repeatElement("0", count: power)
            power = 0
        } else if power < 0, power >= -40 {
            let missing = 1 - power - digits.count
            if missing > 0 { digits = repeatElement("0", count: missing) + digits }
            digits.insert(".", at: digits.count + power)
            power = 0
        }
        let text = (isNegative && mantissa != 0 ? "-" : "") + String(digits) + (power == 0 ? "" : "e\(power)")
        guard let number = try? JSONText.parse(text), DecimalParts(number.json()) == DecimalParts(text) else {
            return nil
        }
        return number
    }
}
