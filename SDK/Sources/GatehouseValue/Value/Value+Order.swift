// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// Returns whether this number is smaller than another, as both are written; nil unless both are numbers.
    public func isLess(than other: Value) -> Bool? {
        if let left = intValue, let right = other.intValue { return left < right }
        if case .double(let left) = self, case .double(let right) = other { return left < right }
        guard let left = decimal, let right = other.decimal else { return nil }
        return left < right
    }

    /// A number taken apart; nil for anything else.
    private var decimal: DecimalNumber? {
        switch self {
        case .integer, .unsigned, .double, .bigNumber: DecimalNumber(json())
        default: nil
        }
    }
}

extension DecimalNumber: Comparable {
    static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isCloserToZero(than: left) : left.isCloserToZero(than: right)
    }

    /// Returns whether its magnitude is smaller than that of another.
    private func isCloserToZero(than other: DecimalNumber) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.isEmpty && !other.digits.isEmpty }
        // The places of the first digits.
        let (place, otherPlace) = (digits.count + exponent, other.digits.count + other.exponent)
        return place == otherPlace ? digits.lexicographicallyPrecedes(other.digits) : place < otherPlace
    }
}
