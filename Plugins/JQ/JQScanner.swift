// SPDX-License-Identifier: Apache-2.0

/// Scans the words of a jq program for parts that libjq accepts and this plugin does not.
///
/// A program is put in brackets beside others, so its own brackets must close; and it must depend only on the action.
struct JQScanner {
    /// The mistake, in the words of an error in settings.
    typealias Objection = (expected: String, found: String)

    /// An open bracket around a place; a round one may be inside of a text, which continues after its end.
    private enum Frame: String {
        case round = "("
        case square = "["
        case curly = "{"
        case interpolation = "\\("

        /// The character that closes it.
        var end: Unicode.Scalar {
            switch self {
            case .round, .interpolation: ")"
            case .square: "]"
            case .curly: "}"
            }
        }
    }

    /// The program, with a NUL after it, so that there is always a next character.
    private let scalars: [Unicode.Scalar]
    /// The place of the next character.
    private var index = 0
    /// The line of that place, from 1.
    private var line = 1
    /// The open brackets, innermost last, with their lines.
    private var frames: [(frame: Frame, line: Int)] = []
    /// The character before the word in hand that is neither a space nor in a comment; NUL for none.
    private var before: Unicode.Scalar = "\0"

    /// Starts at the first character of a program.
    init(_ text: String) { scalars = Array(text.unicodeScalars) + ["\0"] }

    /// Returns why the program is refused; nil when it is not.
    mutating func objection() -> Objection? {
        while index < scalars.count - 1 {
            if let objection = step() { return objection }
        }
        return frames.last.map { Self.unclosed($0.frame.rawValue, in: $0.line) }
    }

    /// Returns an objection to something without an end.
    private static func unclosed(_ opening: String, in line: Int) -> Objection {
        (
            expected: "a jq program whose brackets and texts are closed",
            found: "one in which nothing closes the \(opening) in line \(line)"
        )
    }

    /// Scans one word or sign.
    private mutating func step() -> Objection? {
        let scalar = scalars[index]
        switch scalar {
        case "\n":
            line += 1
            index += 1
            return nil
        case " ", "\t", "\r":
            index += 1
            return nil
        case "#":
            while index < scalars.count - 1, scalars[index] != "\n" { index += 1 }
            return nil
        case "\0": return (expected: "a jq program", found: "one with a NUL in line \(line)")
        case "\"":
            index += 1
            return text(from: line)
        case "(", "[", "{":
            if let frame = Frame(rawValue: String(scalar)) { frames.append((frame, line)) }
        case ")", "]", "}":
            guard let (frame, opened) = frames.popLast(), frame.end == scalar else {
                return (
                    expected: "a jq program whose brackets and texts are closed",
                    found: "one in which nothing opens the \(scalar) in line \(line)"
                )
            }
            if frame == .interpolation {
                index += 1
                return text(from: opened)
            }
        case ".", "@":
            // The name of a member or of a format, not a function.
            index += 1
            if Self.beginsWord(scalars[index]) || scalar == "@" {
                _ = word()
            } else {
                while Self.isDigit(scalars[index]) { index += 1 }
            }
            before = scalar
            return nil
        case _ where Self.beginsWord(scalar): return name()
        case _ where Self.isDigit(scalar): return number()
        default: break
        }
        before = scalar
        index += 1
        return nil
    }

    /// Scans to the end of a text that began earlier, or to the next program inside of it.
    private mutating func text(from start: Int) -> Objection? {
        while index < scalars.count - 1 {
            switch scalars[index] {
            case "\"":
                before = "\""
                index += 1
                return nil
            case "\\" where scalars[index + 1] == "(":
                frames.append((.interpolation, start))
                before = "("
                index += 2
                return nil
            case "\\": index += min(2, scalars.count - 1 - index)
            case "\n":
                line += 1
                index += 1
            default: index += 1
            }
        }
        return Self.unclosed("\"", in: start)
    }

    /// Scans a name, and checks whether it is refused.
    private mutating func name() -> Objection? {
        let isVariable = before == "$"
        // In an object a bare name before a colon, a comma or the end names a member.
        let isKey = frames.last?.frame == .curly && (before == "{" || before == ",")
        let name = word()
        before = "a"
        guard !isKey, let reason = isVariable ? (name == "ENV" ? "the environment" : nil) : Self.refused[name]
        else { return nil }
        let shown = isVariable ? "$ENV" : name
        return (
            expected: "a jq program that depends on the action alone",
            found: "\"\(shown)\" in line \(line), which stands for \(reason)"
        )
    }

    /// The functions and words that reach beyond the action, and their purpose.
    private static let refused = [
        "env": "the environment", "input": "further input", "inputs": "further input",
        "input_filename": "further input", "input_line_number": "further input",
        "debug": "writing to standard error", "stderr": "writing to standard error",
        "import": "reading a file", "include": "reading a file", "modulemeta": "reading a file",
        "get_search_list": "places of files", "get_jq_origin": "places of files",
        "get_prog_origin": "places of files",
        "halt": "the end of the program", "halt_error": "the end of the program",
        "now": "the time of the system", "localtime": "the time zone of the system",
        "strflocaltime": "the time zone of the system",
    ]

    /// Scans a number, and checks whether jq keeps all of its digits.
    private mutating func number() -> Objection? {
        let start = index
        while Self.isDigit(scalars[index]) { index += 1 }
        before = "0"
        if [".", "e", "E"].contains(scalars[index]) {
            while Self.isDigit(scalars[index]) || [".", "e", "E"].contains(scalars[index])
                || (["+", "-"].contains(scalars[index]) && ["e", "E"].contains(scalars[index - 1]))
            {
                index += 1
            }
            return nil
        }
        let digits = text(since: start)
        guard Int64(digits).map({ $0 > JQValue.largestInteger }) ?? true else { return nil }
        return (
            expected: "whole numbers up to \(JQValue.largestInteger), because jq rounds larger ones",
            found: "\(digits) in line \(line)"
        )
    }

    /// Scans the letters, digits and underscores here.
    private mutating func word() -> String {
        let start = index
        while Self.beginsWord(scalars[index]) || Self.isDigit(scalars[index]) { index += 1 }
        return text(since: start)
    }

    /// Returns the text from a place to here.
    private func text(since start: Int) -> String { String(String.UnicodeScalarView(scalars[start..<index])) }

    /// Returns whether a name may begin with a character.
    private static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar == "_")
    }

    /// Returns whether a character is a digit.
    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
