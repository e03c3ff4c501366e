// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

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
