// SPDX-License-Identifier: Apache-2.0

/// Steps through a Swift file, over each comment and each literal as one.
///
/// Accepts any bytes. Does not recognise regular expressions between bare slashes, since telling them from division takes a
/// parser.
struct SwiftScanner {
    /// The bytes of the file.
    private let bytes: [UInt8]
    /// The index of the next byte.
    private(set) var position = 0

    /// The greatest depth of interpolations within each other's strings.
    private static let depthLimit = 64

    /// Starts at the beginning of a file.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the byte at a distance from the next one, nil after the end.
    func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    /// Skips any bytes.
    mutating func skip(_ count: Int = 1) { position = min(position + count, bytes.count) }

    /// Returns whether a byte is blank space.
    static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

    // MARK: - Comments

    /// Skips one blank or one comment; false when something else is next.
    mutating func skipBlank() -> Bool {
        guard let byte = peek() else { return false }
        if Self.isBlank(byte) {
            skip()
        } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
            while let byte = peek(), byte != UInt8(ascii: "\n") { skip() }
        } else if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
            skipBlock()
        } else {
            return false
        }
        return true
    }

    /// Skips a comment between `/*` and `*/`; such comments nest.
    private mutating func skipBlock() {
        var depth = 0
        while let byte = peek() {
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                skip(2)
            } else if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                skip(2)
                if depth == 0 { return }
            } else {
                skip()
            }
        }
    }

    // MARK: - Literals

    /// Skips a string, raw or not, or an extended regular expression; false when something else is next.
    mutating func skipLiteral() -> Bool { skipLiteral(depth: 0) }

    /// Skips a literal at this depth of interpolations.
    private mutating func skipLiteral(depth: Int) -> Bool {
        var pounds = 0
        while peek(pounds) == UInt8(ascii: "#") { pounds += 1 }
        switch peek(pounds) {
        case UInt8(ascii: "\""):
            skip(pounds)
            skipString(pounds: pounds, depth: depth)
        case UInt8(ascii: "/") where pounds > 0:
            skip(pounds + 1)
            while let byte = peek(), byte != UInt8(ascii: "/") || !hasPounds(pounds, at: 1) { skip() }
            skip(1 + pounds)
        default:
            return false
        }
        return true
    }

    /// Skips a string; the next byte is its opening quotation mark.
    ///
    /// A string that is not closed on its line ends there, so that a mistake stays on one line.
    private mutating func skipString(pounds: Int, depth: Int) {
        let quote = UInt8(ascii: "\"")
        let isMultiline = peek(1) == quote && peek(2) == quote
        skip(isMultiline ? 3 : 1)
        while let byte = peek() {
            if byte == UInt8(ascii: "\\"), hasPounds(pounds, at: 1) {
                if peek(1 + pounds) == UInt8(ascii: "("), depth < Self.depthLimit {
                    skip(2 + pounds)
                    skipInterpolation(depth: depth + 1)
                } else {
                    skip(peek(1 + pounds) == UInt8(ascii: "\n") ? 1 : 2 + pounds)
                }
            } else if byte == quote, isMultiline {
                if peek(1) == quote, peek(2) == quote, hasPounds(pounds, at: 3) { return skip(3 + pounds) }
                skip()
            } else if byte == quote, hasPounds(pounds, at: 1) {
                return skip(1 + pounds)
            } else if byte == UInt8(ascii: "\n"), !isMultiline {
                return
            } else {
                skip()
            }
        }
    }

    /// Skips code up to and including the parenthesis that closes an interpolation.
    private mutating func skipInterpolation(depth: Int) {
        var open = 1
        while open > 0, let byte = peek() {
            if skipBlank() || skipLiteral(depth: depth) || skipQuotedName() { continue }
            if byte == UInt8(ascii: "(") { open += 1 }
            if byte == UInt8(ascii: ")") { open -= 1 }
            skip()
        }
    }

    /// Skips a name in backticks, which ends with its line at the latest; false when something else is next.
    mutating func skipQuotedName() -> Bool {
        guard peek() == UInt8(ascii: "`") else { return false }
        skip()
        while let byte = peek(), byte != UInt8(ascii: "\n") {
            skip()
            if byte == UInt8(ascii: "`") { break }
        }
        return true
    }

    /// Returns whether that many number signs stand at a distance from the next byte.
    private func hasPounds(_ pounds: Int, at distance: Int) -> Bool {
        (0..<pounds).allSatisfy { peek(distance + $0) == UInt8(ascii: "#") }
    }
}
