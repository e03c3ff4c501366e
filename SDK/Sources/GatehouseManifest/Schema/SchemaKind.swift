// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// A kind of value in the keyword `type`.
enum SchemaKind: String, CaseIterable {
    /// The one value null.
    case null
    /// True and false.
    case boolean
    /// A number without a fraction, of any size.
    case integer
    /// A number of any kind.
    case number
    /// Text.
    case string
    /// Values in order.
    case array
    /// Values by name.
    case object

    /// Returns whether a value is of the kind; `1.0` is an integer.
    func covers(_ value: Value) -> Bool {
        switch (self, value) {
        case (.null, .null), (.boolean, .bool), (.string, .string), (.array, .array), (.object, .object): true
        case (.integer, .integer), (.integer, .unsigned): true
        case (.integer, .double(let number)): number.rounded() == number
        case (.integer, .bigNumber(let text)):
            text.utf8.allSatisfy("-0123456789".utf8.contains)
        case (.number, .integer), (.number, .unsigned), (.number, .double), (.number, .bigNumber): true
        default: false
        }
    }

    /// The kind with its article, for messages.
    var phrase: String {
        switch self {
        case .null: "null"
        case .boolean: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
