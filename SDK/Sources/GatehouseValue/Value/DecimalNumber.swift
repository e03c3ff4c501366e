// SPDX-License-Identifier: Apache-2.0

/// A JSON number taken apart, so that different spellings of one number compare equal.
struct DecimalNumber: Hashable {
    /// Whether there is a minus sign; zero is never negative.
    let isNegative: Bool
    /// The digits without zeros at either end; empty for zero.
    let digits: [UInt8]
    /// The power of ten of the last digit; text that no `Int` holds, such as 1e99999999999999999999, saturates.
    let exponent: Int

    /// Takes apart a legal JSON number; skips characters that are not part of one.
    init(_ text: String) {
        var digits: [UInt8] = []
        var exponent = 0
        var written = 0
        var writtenIsNegative = false
        var (isFraction, isExponent) = (false, false)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = true
            case UInt8(ascii: "-") where isExponent: writtenIsNegative = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isExponent {
                    let (product, overflow) = written.multipliedReportingOverflow(by: 10)
                    written = overflow ? Int.max / 4 : min(Int.max / 4, product + Int(byte & 15))
                } else {
                    digits.append(byte)
                    if isFraction { exponent -= 1 }
                }
            default: break
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(leading)
        self.digits = digits
        self.isNegative = !digits.isEmpty && text.utf8.first == UInt8(ascii: "-")
        self.exponent = digits.isEmpty ? 0 : exponent + (writtenIsNegative ? -written : written)
    }
}
