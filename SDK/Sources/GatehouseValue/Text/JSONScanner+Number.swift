// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
    /// Reads the number under the cursor into the narrowest case that holds it without loss.
    mutating func number() throws(JSONSyntaxError) -> Value {
        let start = offset
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        let firstDigit = offset
        try digits(after: "-")
        let wholeEnd = offset
        if byte(at: firstDigit) == UInt8(ascii: "0"), wholeEnd > firstDigit + 1 {
            throw failure(.leadingZero, at: firstDigit)
        }
        if current == UInt8(ascii: ".") {
            offset += 1
            try digits(after: ".")
        }
        if current | 0x20 == UInt8(ascii: "e") {
            let mark = Unicode.Scalar(current)
            offset += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
            try digits(after: mark)
        }
        if offset == wholeEnd { return whole(from: start, firstDigit: firstDigit, isNegative: isNegative) }
        let text = text(from: start, to: offset)
        guard let double = Double(text), double.isFinite else { return .bigNumber(text) }
        return .double(double)
    }

    /// Skips one or more digits.
    private mutating func digits(after mark: Unicode.Scalar) throws(JSONSyntaxError) {
        let start = offset
        while isDigit(current) { offset += 1 }
        if offset == start { throw failure(.missingDigits(after: mark), at: start) }
    }

    /// Returns the whole number that ends at the cursor.
    private func whole(from start: Int, firstDigit: Int, isNegative: Bool) -> Value {
        var magnitude: UInt64 = 0
        for place in firstDigit..<offset {
            let (product, tooBig) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, tooBigAgain) = product.addingReportingOverflow(UInt64(byte(at: place) & 15))
            if tooBig || tooBigAgain { return .bigNumber(text(from: start, to: offset)) }
            magnitude = sum
        }
        if !isNegative { return Int64(exactly: magnitude).map(Value.integer) ?? .unsigned(magnitude) }
        if magnitude <= Int64.min.magnitude { return .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) }
        return .bigNumber(text(from: start, to: offset))
    }

    /// Returns whether a byte is an ASCII digit.
    func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
