// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// The member with this name; nil when there is none or this is not an object.
    public subscript(key: String) -> Value? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    /// The element at this position; nil outside the bounds or when this is not an array.
    public subscript(index: Int) -> Value? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The value at a pointer; nil when a step finds nothing.
    public subscript(pointer: JSONPointer) -> Value? {
        var current = self
        for token in pointer.tokens {
            guard let next = current[token] ?? JSONPointer.arrayIndex(token).flatMap({ current[$0] }) else {
                return nil
            }
            current = next
        }
        return current
    }

    /// True or false; nil for every other kind.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number when it is whole and fits `Int`, also when written as `1.0`; otherwise nil.
    public var intValue: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number rounded to the nearest `Double`; nil for other kinds and for numbers beyond its range.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): return Double(value)
        case .unsigned(let value): return Double(value)
        case .double(let value): return value
        case .bigNumber(let text):
            guard let value = Double(text), value.isFinite else { return nil }
            return value
        default: return nil
        }
    }

    /// The text; nil for every other kind.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements; nil for every other kind.
    public var arrayValue: [Value]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members; nil for every other kind.
    public var objectValue: Members? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether this is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The kind with its article, for messages: "null", "a boolean", "an integer", "a number", "a string"…
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .unsigned: "an integer"
        case .double, .bigNumber: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
