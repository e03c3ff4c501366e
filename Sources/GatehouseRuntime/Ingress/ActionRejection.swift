// SPDX-License-Identifier: Apache-2.0

package import GatehouseValue

/// Why a line of input is not an action, and where in it.
package struct ActionRejection: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int

    /// The column where the wrong part starts, from 1, in Unicode scalars.
    package let column: Int

    /// The problem.
    package let reason: Reason

    /// A problem of a line.
    package enum Reason: Equatable, Sendable {
        /// The line is not JSON as RFC 8259 defines it.
        case syntax(JSONSyntaxError.Reason)
        /// Bytes that are not UTF-8; `position` counts bytes from 1, `byte` is the one found there.
        case invalidUTF8(byte: UInt8, position: Int)
        /// The line has more bytes than the input's limit, so it was not read.
        case tooLong(bytes: Int, limit: Int)
        /// The type is a new name, and the limit on new types in use is reached.
        case tooManyTypes
        /// The line is a JSON value other than an object.
        case notAnObject(found: String)
        /// The object names no type.
        case missingType
        /// The type is not a string.
        case typeNotString(found: String)
        /// The type is an empty string.
        case emptyType
        /// A member that actions do not have, and the likely intended one.
        case unknownMember(name: String, suggestion: String?)
        /// A member of the action given twice, the first time in column `first`.
        case duplicateMember(name: String, first: Int)
        /// The error mark is not a boolean.
        case errorNotBoolean(found: String)
        /// The meta member is not an object.
        case metaNotObject(found: String)
        /// The line has no type where wrapped lines do; nil where nothing is found there.
        case noWrappedType(at: JSONPointer, found: String?)
    }

    /// Position and sentence, to be appended to the input's name and a colon: `3:9: expected …`.
    package var description: String { "\(line):\(column): \(reason)" }
}

extension ActionRejection.Reason: CustomStringConvertible {
    /// The expectation, the finding and the remedy, as a sentence without full stop.
    package var description: String {
        switch self {
        case .syntax(let reason): reason.description
        case .invalidUTF8(let byte, let position):
            "expected UTF-8, found the byte 0x\(Self.hexadecimal(byte)) at byte \(position) of the line, "
                + "which does not belong there; write the input as UTF-8"
        case .tooLong(let bytes, let limit):
            "expected at most \(limit) bytes in a line, found \(bytes); split the action or raise \"ingress\"/\"maximumLineBytes\""
        case .tooManyTypes:
            "expected a known type, found a new one when there is no room for more "
                + "(65,536 names or 16 MiB); put the variable part into the payload"
        case .notAnObject(let found):
            "expected an action such as {\"type\":\"orders/placed\"}, found \(found)"
        case .missingType: "expected the member \"type\", found an object without it; name the action there"
        case .typeNotString(let found): "expected a string as \"type\", found \(found)"
        case .emptyType: "expected a name as \"type\", found an empty string"
        case .unknownMember(let name, let suggestion):
            "expected only the members type, payload, error and meta, found \(Self.quoted(name)); "
                + (suggestion.map { "did you mean \"\($0)\"?" } ?? "put it into payload or meta")
        case .duplicateMember(let name, let first):
            "expected the member \"\(name)\" once, found it again after column \(first); remove one of them"
        case .errorNotBoolean(let found): "expected true or false as \"error\", found \(found)"
        case .metaNotObject(let found): "expected an object as \"meta\", found \(found)"
        case .noWrappedType(let pointer, let found):
            "expected the action's type as a string at \(Self.quoted("\(pointer)")), found \(found ?? "nothing there"); "
                + "the type of each line is read there, as \"typeAt\" or --wrap-at says"
        }
    }

    /// The most characters of an input's name in a message.
    private static var longestQuote: Int { 40 }

    /// Quotes a name from the input, shortened, with control characters escaped.
    private static func quoted(_ name: String) -> String {
        let isShort = name.unicodeScalars.count <= longestQuote
        let shown =
            isShort ? name : String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestQuote))) + "…"
        return Value.string(shown).json()
    }

    /// Formats a byte as two digits.
    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
