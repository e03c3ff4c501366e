// SPDX-License-Identifier: Apache-2.0

/// Scans the words of a jq program for parts that libjq accepts and this plugin does not.
///
/// A program is put in brackets beside others, so its own brackets must close; and it must depend only on the action.
struct JQScanner {
    /// The mistake, in the words of an error in settings.
    struct Objection {
        /// The requirement on a program.
        let expected: String
        /// The finding, with its line.
        let found: String
    }

    /// An open bracket around a place.
    private enum Frame {
        /// `(`
        case round
        /// `[`
        case square
        /// `{`
        case curly
        /// `\(` inside of a text, which continues after its bracket.
        case interpolation

        /// The character that closes it.
        var end: UInt8 {
            switch self {
            case .round, .interpolation: UInt8(ascii: ")")
            case .square: UInt8(ascii: "]")
            case .curly: UInt8(ascii: "}")
            }
        }
    }

    /// The program, with a NUL after it, so that there is always a next character.
    private let bytes: [UInt8]
    /// The place of the next character.
    private var index = 0
    /// The line of that place, from 1.
    private var line = 1
    /// The open brackets, innermost last, with their lines.
    private var frames: [(frame: Frame, line: Int)] = []
    /// The character before the word in hand that is neither a space nor in a comment; 0 for none.
    private var before: UInt8 = 0

    /// Starts at the first character of a program.
    init(_ text: String) { bytes = Array(text.utf8) + [0] }

    /// Returns why the program is refused; nil when it is not.
    mutating func objection() -> Objection? {
        while index < bytes.count - 1 {
            if let objection = step() { return objection }
        }
        guard let (frame, line) = frames.last else { return nil }
        return Self.unclosed(frame == .interpolation ? "\\(" : Self.open(frame), in: line)
    }

    /// Returns the bracket that opens a frame.
    private static func open(_ frame: Frame) -> String {
        switch frame {
        case .round: "("
        case .square: "["
        case .curly: "{"
        case .interpolation: "\\("
        }
    }

    /// Creates an objection to something without an end.
    private static func unclosed(_ opening: String, in line: Int) -> Objection {
        Objection(
            expected: "a jq program whose brackets and texts are closed",
            found: "one in which nothing closes the \(opening) in line \(line)")
    }

    /// Scans one word or sign.
    private mutating func step() -> Objection? {
        let byte = bytes[index]
        switch byte {
        case UInt8(ascii: "\n"):
            line += 1
            index += 1
            return nil
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
            index += 1
            return nil
        case UInt8(ascii: "#"):
            while index < bytes.count - 1, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            return nil
        case 0:
            return Objection(expected: "a jq program", found: "one with a NUL in line \(line)")
        case UInt8(ascii: "\""):
            index += 1
            return text(from: line)
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
            let frame: Frame =
                byte == UInt8(ascii: "(") ? .round : byte == UInt8(ascii: "[") ? .square : .curly
            frames.append((frame, line))
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
            guard let (frame, opened) = frames.popLast(), frame.end == byte else {
                return Objection(
                    expected: "a jq program whose brackets and texts are closed",
                    found:
                        "one in which nothing opens the \(String(decoding: [byte], as: UTF8.self)) in line \(line)"
                )
            }
            if frame == .interpolation {
                index += 1
                return text(from: opened)
            }
        case UInt8(ascii: "."), UInt8(ascii: "@"):
            // The name of a member or of a format, not a function.
            index += 1
            if Self.beginsWord(bytes[index]) || byte == UInt8(ascii: "@") {
                _ = word()
            } else if Self.isDigit(bytes[index]) {
                while Self.isDigit(bytes[index]) { index += 1 }
            }
            before = byte
            return nil
        case let byte where Self.beginsWord(byte): return name()
        case let byte where Self.isDigit(byte): return number()
        default: break
        }
        before = byte
        index += 1
        return nil
    }

    /// Scans to the end of a text that began earlier, or to the next program inside of it.
    private mutating func text(from start: Int) -> Objection? {
        while index < bytes.count - 1 {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                before = UInt8(ascii: "\"")
                index += 1
                return nil
            case UInt8(ascii: "\\") where bytes[index + 1] == UInt8(ascii: "("):
                frames.append((.interpolation, start))
                before = UInt8(ascii: "(")
                index += 2
                return nil
            case UInt8(ascii: "\\"): index += min(2, bytes.count - 1 - index)
            case UInt8(ascii: "\n"):
                line += 1
                index += 1
            default: index += 1
            }
        }
        return Self.unclosed("\"", in: start)
    }

    /// Scans a name, and checks whether it is refused.
    private mutating func name() -> Objection? {
        let isVariable = before == UInt8(ascii: "$")
        // In an object a bare name before a colon, a comma or the end names a member.
        let isKey =
            frames.last?.frame == .curly
            && (before == UInt8(ascii: "{") || before == UInt8(ascii: ","))
        let name = word()
        before = UInt8(ascii: "a")
        guard !isKey, let reason = isVariable ? (name == "ENV" ? "the environment" : nil) : Self.refused[name]
        else { return nil }
        let shown = isVariable ? "$ENV" : name
        return Objection(
            expected: "a jq program that depends on the action alone",
            found: "\"\(shown)\" in line \(line), which stands for \(reason)")
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
        while Self.isDigit(bytes[index]) { index += 1 }
        let isWhole = ![UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains(bytes[index])
        let digits = String(decoding: bytes[start..<index], as: UTF8.self)
        before = UInt8(ascii: "0")
        if !isWhole {
            while Self.isDigit(bytes[index]) || ".eE".utf8.contains(bytes[index])
                || ("+-".utf8.contains(bytes[index]) && "eE".utf8.contains(bytes[index - 1]))
            {
                index += 1
            }
            return nil
        }
        guard Int64(digits).map({ $0 > JQValue.largestInteger }) ?? true else { return nil }
        return Objection(
            expected: "whole numbers up to \(JQValue.largestInteger), because jq rounds larger ones",
            found: "\(digits) in line \(line)")
    }

    /// Scans the letters, digits and underscores here.
    private mutating func word() -> String {
        let start = index
        while Self.beginsWord(bytes[index]) || Self.isDigit(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Returns whether a name may begin with a byte.
    private static func beginsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns whether a byte is a digit.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
