// SPDX-License-Identifier: Apache-2.0

extension Value: Equatable {
    /// Compares by value; a `bigNumber` equals only a `bigNumber` that denotes the same number.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.string(let left), .string(let right)): ExactText(left) == ExactText(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.bigNumber(let left), .bigNumber(let right)):
            left == right || DecimalNumber(left) == DecimalNumber(right)
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        default: left.wholeNumber.map { $0 == right.wholeNumber } ?? false
        }
    }

    /// The number when it is whole and within 128 bits, in any case.
    fileprivate var wholeNumber: Int128? {
        switch self {
        case .integer(let value): Int128(value)
        case .unsigned(let value): Int128(value)
        case .double(let value): Int128(exactly: value)
        default: nil
        }
    }
}

extension Value: Hashable {
    /// Feeds equal numbers of different cases the same bytes, so that they hash alike.
    public func hash(into hasher: inout Hasher) {
        if let wholeNumber {
            hasher.combine(2)
            hasher.combine(wholeNumber)
            return
        }
        switch self {
        case .null, .integer, .unsigned: hasher.combine(0)
        case .bool(let value):
            hasher.combine(1)
            hasher.combine(value)
        case .double(let value):
            hasher.combine(3)
            hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
        case .bigNumber(let text):
            hasher.combine(4)
            hasher.combine(DecimalNumber(text))
        case .string(let text):
            hasher.combine(5)
            hasher.combine(text)
        case .array(let elements):
            hasher.combine(6)
            hasher.combine(elements)
        case .object(let members):
            hasher.combine(7)
            hasher.combine(members)
        }
    }
}
