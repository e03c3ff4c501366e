// SPDX-License-Identifier: Apache-2.0

/// Reduces source text to what the compiler sees of it.
///
/// Comments count as blank space; runs of blank space become one space; blank space at line starts and ends
/// and empty lines go away. Literals are kept byte for byte. Any bytes are accepted: text that does not
/// compile still gives the same result each time.
///
/// Regular expressions between bare slashes are not recognised, since telling them from division takes a
/// parser; one that holds `//` or a quotation mark must be written as `#/…/#`.
public struct SourceStripper {
    /// What is read.
    private let text: [UInt8]
    /// How comments and literals are written.
    private let language: SourceLanguage
    /// The index of the next byte to read.
    private var position = 0
    /// What was kept so far.
    private var output: [UInt8] = []
    /// Whether literals become `""`.
    private var emptiesLiterals = false
    /// Blank space that was read but is only written in front of something else.
    private var gap = Gap.none

    /// Blank space between two kept pieces; the greater of two wins.
    private enum Gap: Int {
        /// The pieces touch.
        case none
        /// Spaces, tabs or a comment; one space is kept.
        case space
        /// At least one line break; one is kept.
        case line
    }

    /// The text without comments and superfluous blank space.
    ///
    /// - Complexity: linear in the size of the text.
    public static func strip(_ text: [UInt8], as language: SourceLanguage) -> [UInt8] {
        var stripper = SourceStripper(text: text, language: language)
        stripper.output.reserveCapacity(text.count)
        stripper.readCode(untilParenthesis: false)
        return stripper.output
    }

    /// The same for Swift, with an empty string in place of each literal, whatever is interpolated in it.
    static func stripLiterals(_ text: [UInt8]) -> [UInt8] {
        var stripper = SourceStripper(text: text, language: .swift)
        stripper.emptiesLiterals = true
        stripper.readCode(untilParenthesis: false)
        return stripper.output
    }

    /// Starts at the beginning of a text.
    private init(text: [UInt8], language: SourceLanguage) {
        self.text = text
        self.language = language
    }

    // MARK: - Code

    /// Reads code to the end of the text, or up to the parenthesis that closes an interpolation.
    ///
    /// Interpolations may hold strings which hold interpolations; the stack grows with that nesting only
    /// while quotation marks and parentheses keep opening, and stops at a depth that no source reaches.
    private mutating func readCode(untilParenthesis: Bool, depth: Int = 0) {
        var open = 0
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0b, 0x0c:
                leaveGap(.space)
                position += 1
            case UInt8(ascii: "\n"):
                leaveGap(.line)
                position += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                skipBlock()
            case UInt8(ascii: "\""):
                readString(pounds: 0, depth: depth)
            case UInt8(ascii: "#") where language == .swift:
                readPounds(depth: depth)
            case UInt8(ascii: "`") where language == .swift:
                readQuoted(by: byte, escapes: false)
            case UInt8(ascii: "'") where language == .c:
                readQuoted(by: byte, escapes: true)
            case UInt8(ascii: "("):
                open += 1
                keep(1)
            case UInt8(ascii: ")"):
                open -= 1
                keep(1)
                if untilParenthesis, open < 0 { return }
            default:
                keep(1)
            }
        }
    }

    /// The byte at a distance from the next one, or nil behind the end.
    private func peek(_ distance: Int) -> UInt8? {
        position + distance < text.count ? text[position + distance] : nil
    }

    /// Copies the next bytes, after the blank space that precedes them.
    private mutating func keep(_ count: Int) {
        if !output.isEmpty {
            switch gap {
            case .none: break
            case .space: output.append(UInt8(ascii: " "))
            case .line: output.append(UInt8(ascii: "\n"))
            }
        }
        gap = .none
        let end = min(position + count, text.count)
        output.append(contentsOf: text[position..<end])
        position = end
    }

    /// Remembers blank space.
    private mutating func leaveGap(_ wider: Gap) {
        if wider.rawValue > gap.rawValue { gap = wider }
    }

    // MARK: - Comments

    /// Skips a comment that ends with its line; the line end itself stays.
    private mutating func skipLine() {
        leaveGap(.space)
        while position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
    }

    /// Skips a comment between `/*` and `*/`.
    private mutating func skipBlock() {
        leaveGap(.space)
        var depth = 0
        while position < text.count {
            if text[position] == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*"),
                language == .swift || depth == 0
            {
                depth += 1
                position += 2
            } else if text[position] == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
                if depth == 0 { return }
            } else {
                if text[position] == UInt8(ascii: "\n") { leaveGap(.line) }
                position += 1
            }
        }
    }

    // MARK: - Literals

    /// Reads `#`: the start of a raw string or an extended regular expression, or of a directive or macro.
    private mutating func readPounds(depth: Int) {
        var pounds = 1
        while peek(pounds) == UInt8(ascii: "#") { pounds += 1 }
        switch peek(pounds) {
        case UInt8(ascii: "\""):
            let start = output.count
            keep(pounds)
            readString(pounds: pounds, depth: depth)
            empty(from: start)
        case UInt8(ascii: "/"):
            let start = output.count
            defer { empty(from: start) }
            keep(pounds + 1)
            while position < text.count {
                if text[position] == UInt8(ascii: "/"), hasPounds(pounds, at: 1) {
                    keep(1 + pounds)
                    return
                }
                keepLiteral()
            }
        default:
            keep(pounds)
        }
    }

    /// Reads a string from its opening quotation mark to behind its closing delimiter.
    ///
    /// A string that is not closed on its line ends there, so that a mistake stays on one line.
    private mutating func readString(pounds: Int, depth: Int) {
        let start = output.count
        defer { empty(from: start) }
        let quote = UInt8(ascii: "\"")
        let isMultiline = language == .swift && peek(1) == quote && peek(2) == quote
        keep(isMultiline ? 3 : 1)
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "\\"), hasPounds(pounds, at: 1) {
                if language == .swift, peek(1 + pounds) == UInt8(ascii: "("), depth < 64 {
                    keep(2 + pounds)
                    readCode(untilParenthesis: true, depth: depth + 1)
                } else if peek(1 + pounds) == UInt8(ascii: "\n") {
                    keepLiteral()
                } else {
                    keep(2 + pounds)
                }
            } else if byte == quote, isMultiline {
                if peek(1) == quote, peek(2) == quote, hasPounds(pounds, at: 3) {
                    keep(3 + pounds)
                    return
                }
                keepLiteral()
            } else if byte == quote, hasPounds(pounds, at: 1) {
                keep(1 + pounds)
                return
            } else if byte == UInt8(ascii: "\n"), !isMultiline {
                return
            } else {
                keepLiteral()
            }
        }
    }

    /// Reads a name in backticks or a C character, up to the closing mark or the end of the line.
    private mutating func readQuoted(by mark: UInt8, escapes: Bool) {
        keep(1)
        while position < text.count, text[position] != UInt8(ascii: "\n") {
            if escapes, text[position] == UInt8(ascii: "\\"), peek(1) != UInt8(ascii: "\n") {
                keep(2)
            } else {
                let isEnd = text[position] == mark
                keepLiteral()
                if isEnd { return }
            }
        }
    }

    /// Tells whether that many number signs stand at a distance from the next byte.
    private func hasPounds(_ pounds: Int, at distance: Int) -> Bool {
        (0..<pounds).allSatisfy { peek(distance + $0) == UInt8(ascii: "#") }
    }

    /// Replaces a literal that was copied, if that is wanted.
    private mutating func empty(from start: Int) {
        guard emptiesLiterals else { return }
        output.removeSubrange(start...)
        output.append(contentsOf: " \"\"".utf8)
    }

    /// Copies the next byte as it is, blank space included.
    private mutating func keepLiteral() {
        output.append(text[position])
        position += 1
    }
}
