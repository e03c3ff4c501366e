// SPDX-License-Identifier: Apache-2.0

/// A JSON value with the positions of itself and all its parts in the text.
///
/// It keeps repeated member names, so that a reader can report them with both positions.
public struct LocatedValue: Sendable {
    /// The position of the first character.
    public let position: TextPosition
    /// The value, whose parts have their own positions.
    public let content: Content

    /// A value whose parts have positions.
    public enum Content: Sendable {
        /// The literal null.
        case null
        /// The literals true and false.
        case bool(Bool)
        /// Any number: `integer`, `unsigned`, `double` or `bigNumber`.
        case number(Value)
        /// Text of any length.
        case string(String)
        /// The elements of an array, in order.
        case array([LocatedValue])
        /// Members in order, repeated names included.
        case object([LocatedMember])
    }

    /// The plain value, without positions; the last of repeated names counts.
    public var value: Value {
        switch content {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let value): value
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members): .object(Members(members.lazy.map { ($0.key, $0.value.value) }))
        }
    }

    /// Returns the part at a pointer, and the position of its key; the last of repeated names counts.
    ///
    /// For a pointer that leads nowhere, this is the innermost part on the way. That one, an element and the whole have no
    /// key of their own: the position is the value's.
    public func nearest(to pointer: JSONPointer) -> (part: LocatedValue, keyPosition: TextPosition) {
        var part = self
        var keyPosition = position
        for token in pointer.tokens {
            switch part.content {
            case .object(let members):
                guard let member = members.last(where: { ExactText($0.key) == ExactText(token) }) else {
                    return (part, part.position)
                }
                (part, keyPosition) = (member.value, member.keyPosition)
            case .array(let elements):
                guard let index = JSONPointer.arrayIndex(token), elements.indices.contains(index) else {
                    return (part, part.position)
                }
                (part, keyPosition) = (elements[index], elements[index].position)
            default: return (part, part.position)
            }
        }
        return (part, keyPosition)
    }

    /// The kind with its article, as in `Value.kindName`.
    public var kindName: String {
        switch content {
        case .null: "null"
        case .bool: "a boolean"
        case .number(let value): value.kindName
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A member of a located object.
public struct LocatedMember: Sendable {
    /// The name of the member, with its escapes resolved.
    public let key: String
    /// The position of the name's opening quote.
    public let keyPosition: TextPosition
    /// The value after the colon.
    public let value: LocatedValue
}
