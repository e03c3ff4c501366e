// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// How text and values of a file are shown in a message: on one line, in JSON's spelling, cut when long.
public enum Quotation {
    /// A text in double quotes, with its control characters escaped.
    static func of(_ text: String) -> String { Value.string(text).quoted }

    /// A value of the file as text, an array or object by its kind.
    static func of(_ located: LocatedValue) -> String {
        switch located.content {
        case .array, .object: located.kindName
        default: located.value.quoted
        }
    }

    /// Words in quotes, the last two joined by "or".
    static func choice(of words: [String]) -> String {
        let quoted = words.map { of($0) }
        guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "nothing" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }

    /// Words in quotes with commas between them.
    static func list(of words: [String]) -> String {
        words.map { of($0) }.joined(separator: ", ")
    }

    /// A text as it is, but with its control characters and line ends escaped, such as `\u{1B}`.
    public static func bare(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isControl(scalar) {
                result += scalar.escaped(asASCII: true)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether a terminal would obey the character, or a reader of lines end one there.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
        default: false
        }
    }
}
