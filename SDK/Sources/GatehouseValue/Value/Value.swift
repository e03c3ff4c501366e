// SPDX-License-Identifier: Apache-2.0

/// A JSON value in memory.
///
/// Equality and hashing follow the value, not its spelling: `integer(1)` equals `double(1.0)`, and objects
/// ignore the order of their members. Strings and keys compare code point by code point, as RFC 8259 asks, not
/// by Unicode equivalence.
///
/// ```swift
/// let order: Value = ["id": 7, "lines": [["sku": "A-1", "count": 2]]]
/// let count = try JSONPointer("/lines/0/count")
/// #expect(order[count] == 2)
/// ```
@frozen
public enum Value: Sendable {
    /// The literal null.
    case null
    /// The literals true and false.
    case bool(Bool)
    /// A whole number that fits 64 bits with sign.
    case integer(Int64)
    /// A whole number above `Int64.max`; smaller ones are `integer`.
    case unsigned(UInt64)
    /// A finite number with a fraction or an exponent.
    case double(Double)
    /// A legal JSON number beyond the ranges above, kept as written.
    case bigNumber(String)
    /// Text of any length.
    case string(String)
    /// Values in order.
    case array([Value])
    /// Named values; names are unique.
    case object(Members)
}

extension Value {
    /// Creates a whole number of any size, in the smallest case that holds it.
    @inlinable
    public init(_ number: some BinaryInteger) {
        if let small = Int64(exactly: number) {
            self = .integer(small)
        } else if let large = UInt64(exactly: number) {
            self = .unsigned(large)
        } else {
            self = .bigNumber(number.description)
        }
    }
}
