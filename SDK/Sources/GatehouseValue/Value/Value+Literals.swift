// SPDX-License-Identifier: Apache-2.0

extension Value: ExpressibleByNilLiteral {
    /// Makes null.
    public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByBooleanLiteral {
    /// Makes true or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Value: ExpressibleByIntegerLiteral {
    /// Makes a whole number; literals above `Int64.max` do not compile.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension Value: ExpressibleByFloatLiteral {
    /// Makes a `double`, also from a literal without fraction such as `1.0`.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral {
    /// Makes an array in the order written.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
}

extension Value: ExpressibleByDictionaryLiteral {
    /// Makes an object in the order written; a repeated key keeps its first place and its last value.
    public init(dictionaryLiteral elements: (String, Value)...) { self = .object(Members(elements)) }
}
