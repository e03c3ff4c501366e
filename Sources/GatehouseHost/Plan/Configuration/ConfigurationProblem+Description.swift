// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

extension ConfigurationProblem.Reason: CustomStringConvertible {
    /// What was expected, what was found and what to do, without the place.
    public var description: String {
        switch self {
        case .syntax(let reason):
            "\(reason)"
        case .unknownKey(let key, .some(let suggestion), _):
            "unknown key \(Quotation.of(key)); did you mean \(Quotation.of(suggestion))?"
        case .unknownKey(let key, .none, let known):
            "unknown key \(Quotation.of(key)), expected \(Quotation.choice(of: known)); rename or remove it"
        case .duplicateKey(let key, let line):
            "duplicate key \(Quotation.of(key)), first given on line \(line); keep one of them"
        case .missingKey(let key):
            "expected the key \(Quotation.of(key)), found none; add it"
        case .wrongKind(let expected, let found):
            "expected \(expected.phrase), found \(found); \(expected.remedy)"
        case .notAChoice(let found, let choices, let suggestion):
            "expected \(Quotation.choice(of: choices)), found \(found); "
                + (suggestion.map { "did you mean \(Quotation.of($0))?" } ?? "choose one of them")
        case .invalidNumber(let found, let range):
            "expected a whole number from \(range.lowerBound) to \(range.upperBound), found \(found); "
                + "write one in that range"
        case .invalidIdentifier(let text):
            "expected lower-case letters, digits and \"-\" with a letter first, found \(Quotation.of(text)); "
                + "rename the instance"
        case .reservedIdentifier(let text):
            "the id \(Quotation.of(text)) belongs to the host; rename the instance"
        case .duplicateIdentifier(let text, let line):
            "the id \(Quotation.of(text)) is taken by the entry on line \(line); "
                + "give each instance an id of its own"
        case .invalidPointer(let text):
            "expected a JSON Pointer such as \"/orders/eu\", found \(Quotation.of(text)); "
                + (text.utf8.first == UInt8(ascii: "/")
                    ? "write \"~0\" for a \"~\" in a name" : "begin it with \"/\"")
        case .invalidDigest(let text):
            "expected 64 hexadecimal digits, found \(Quotation.of(text)); "
                + "copy what sha256sum prints for the library"
        case .invalidFileName(let text):
            "expected a file name, found \(Quotation.of(text)); "
                + "put the library into the plugin folder and name it without a path"
        case .invalidFolder(let text):
            "expected the path of a folder, found \(Quotation.of(text)); "
                + "write \".\" for the folder of this file"
        case .emptyName:
            "expected a name, found \"\"; write the name or remove the place for it"
        case .invalidPattern(let text):
            "expected a name with \"*\" nowhere but at its end, found \(Quotation.of(text)); "
                + "list several names instead"
        case .invalidPrefix(let text):
            "expected a prefix that ends in \"/\" and has no \"*\", found \(Quotation.of(text)); "
                + "write \(Quotation.of(Self.prefix(from: text)))"
        case .patternForType(let text):
            "expected one action type, found the pattern \(Quotation.of(text)); write the type without \"*\""
        case .unmatchedWildcard(let text, let from):
            "expected a name without \"*\", found \(Quotation.of(text)); "
                + "the \"*\" stands for nothing, since \(Quotation.of(from)) has none"
        case .reservedType(let text):
            "types below \"host/\" belong to the host, found \(Quotation.of(text)); "
                + "choose another name, only \"allow\" may list host actions"
        case .patternNotForHost(let text):
            "expected a type or pattern below \"host/\", found \(Quotation.of(text)); "
                + "remove it, other types need no permission"
        case .patternLeavesOutHost(let text):
            "\(Quotation.of(text)) does not cover the types below \"host/\"; "
                + "add \"host/*\" if they are meant"
        case .reservedSlice(let pointer):
            "the slice \"/host\" belongs to the host, found \(Quotation.of("\(pointer)")); "
                + "choose a place outside it"
        case .overlappingSlice(let pointer, let other, let id, let line):
            "the slice \(Quotation.of("\(pointer)")) overlaps \(Quotation.of("\(other)")) of "
                + "\(Quotation.of(id)) on line \(line); give each instance a place of its own"
        case .gateOnWholeState:
            "expected a pointer to a boolean, found \"\", which is the whole state; "
                + "point at a member such as \"/features/sync\""
        case .gateOnlyOpens(let value):
            "\"turnOn\" and \"turnOff\" are both \(Quotation.of(value)), so the gate could only open; "
                + "make them differ"
        case .exclusiveKeys(let kept, let other):
            "\(Quotation.of(kept)) and \(Quotation.of(other)) are both given; keep one of them"
        case .dependentKey(let key, let needed):
            "\(Quotation.of(key)) says nothing without \(Quotation.of(needed)); "
                + "add \(Quotation.of(needed)) or remove it"
        case .finding(let sentence):
            sentence
        }
    }

    /// The prefix that was likely meant: without `*`, with a `/` at the end.
    private static func prefix(from text: String) -> String {
        var stem = text.filter { $0 != "*" }
        if stem.utf8.last != UInt8(ascii: "/") { stem += "/" }
        return stem
    }
}

extension ConfigurationProblem.ExpectedKind {
    /// The kind as it stands after "expected".
    var phrase: String {
        switch self {
        case .string: "a string"
        case .boolean: "true or false"
        case .names: "an array of strings"
        case .entries: "an array of objects"
        case .object: "an object"
        case .prefixOrMap: "a prefix such as \"orders/\" or an object of names"
        case .gate: "\"active\", \"bypass\" or an object"
        }
    }

    /// What to do about another kind.
    var remedy: String {
        switch self {
        case .string: "put the text in double quotes"
        case .boolean: "write it without quotes"
        case .names: "write [\"…\"]"
        case .entries: "write [{ \"id\": \"…\" }]"
        case .object: "write { \"key\": value }"
        case .prefixOrMap: "write the prefix in double quotes"
        case .gate: "write \"active\" for a gate that is open"
        }
    }
}
