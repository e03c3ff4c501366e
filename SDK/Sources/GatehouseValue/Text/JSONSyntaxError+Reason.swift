// SPDX-License-Identifier: Apache-2.0

extension JSONSyntaxError {
    /// The mistake in a text; the description of each case is a sentence without full stop.
    public enum Reason: Equatable, Sendable {
        /// The text has nothing but white space in it.
        case empty
        /// The leading bytes EF BB BF.
        case byteOrderMark
        /// A character that the grammar does not allow; nil means the end of the text.
        case unexpected(Unicode.Scalar?, expected: Expectation)
        /// A bare word other than true, false and null.
        case unknownWord(String)
        /// A comma before a closing bracket.
        case trailingComma
        /// Text after the value.
        case trailingText(Unicode.Scalar)
        /// A string without its closing quote.
        case unterminatedString
        /// A comment without its end, where comments are allowed.
        case unclosedComment
        /// A byte below 0x20 inside a string.
        case controlCharacter(UInt8)
        /// A backslash followed by anything but an escape; nil means the end of the text.
        case unknownEscape(Unicode.Scalar?)
        /// `\u` without four hexadecimal digits.
        case incompleteUnicodeEscape
        /// An escaped half of a surrogate pair without the other half.
        case loneSurrogate(UInt16)
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// A number such as 007.
        case leadingZero
        /// A minus, point or exponent mark without a digit after it.
        case missingDigits(after: Unicode.Scalar)
        /// More nested containers than allowed.
        case tooDeep(limit: Int)
    }

    /// The grammar's expectation at a place.
    public enum Expectation: String, Sendable {
        /// The start of any value.
        case value = "a value"
        /// The quoted name of a member.
        case memberName = "a member name in double quotes"
        /// The colon between name and value.
        case colon = "':' after the member name"
        /// The tokens that may follow an element.
        case commaOrArrayEnd = "',' or ']'"
        /// The tokens that may follow a member.
        case commaOrObjectEnd = "',' or '}'"
    }
}

extension JSONSyntaxError.Reason: CustomStringConvertible {
    /// What was expected and found and, where it helps, the remedy.
    public var description: String {
        switch self {
        case .empty: "expected a value, found nothing but white space"
        case .byteOrderMark: "expected a value, found a byte order mark; save the text as UTF-8 without one"
        case .unexpected(let found, let expected): "expected \(expected.rawValue), found \(Self.name(found))"
        case .unknownWord(let word): "expected a value, found \(word); bare words are true, false and null"
        case .trailingComma: "expected a value after ',', found a closing bracket; remove the comma"
        case .trailingText(let found): "expected the end of the text, found \(Self.name(found))"
        case .unterminatedString: "expected a closing '\"' for the string that starts here, found none"
        case .unclosedComment: "expected a closing '*/' for the comment that starts here, found none"
        case .controlCharacter(let byte):
            "expected printable text in a string, found the control character \(Self.code(UInt32(byte))); escape it"
        case .unknownEscape(let found):
            "expected one of \" \\ / b f n r t u after '\\', found \(Self.name(found))"
        case .incompleteUnicodeEscape: "expected four hexadecimal digits after '\\u', found fewer"
        case .loneSurrogate(let unit):
            "expected both halves of a surrogate pair, found only \(Self.code(UInt32(unit)))"
        case .invalidUTF8: "expected UTF-8, found a byte sequence that is not"
        case .leadingZero: "expected a number without leading zeros, found one"
        case .missingDigits(let mark): "expected a digit after '\(mark)', found none"
        case .tooDeep(let limit): "expected at most \(limit) containers inside each other, found more"
        }
    }

    /// Returns a found character in quotes, or its code when it cannot be printed.
    private static func name(_ scalar: Unicode.Scalar?) -> String {
        guard let scalar else { return "the end of the text" }
        return scalar.value < 0x20 || scalar.value == 0x7F ? code(scalar.value) : "'\(scalar)'"
    }

    /// Returns a code point in the usual notation: "U+001F".
    private static func code(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
