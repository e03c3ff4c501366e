// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// The words and marks of a Swift file, without comments and with every literal emptied.
struct SwiftTokens {
    /// Names and keywords as written, backticks included; directives and macros with their `#`; `""` for a literal; all else
    /// byte by byte.
    private(set) var texts: [String] = []
    /// The offset of each in the file.
    private var offsets: [Int] = []
    /// The file of the tokens.
    private let source: SourceFile

    /// Reads a file; nil if it may contain a regular expression between bare slashes, which takes a parser to tell.
    init?(_ source: SourceFile) {
        self.source = source
        var scanner = SwiftScanner(source.content)
        while let byte = scanner.peek() {
            if scanner.skipBlank() { continue }
            let start = scanner.position
            if scanner.skipLiteral() {
                add("\"\"", at: start)
                continue
            }
            if byte == UInt8(ascii: "/"), Self.opensExpression(after: texts.last),
                let next = scanner.peek(1), !SwiftScanner.isBlank(next)
            {
                return nil
            }
            if !scanner.skipQuotedName() {
                scanner.skip()
                if byte == UInt8(ascii: "#") || Self.isPartOfName(byte) {
                    while let next = scanner.peek(), Self.isPartOfName(next) { scanner.skip() }
                }
            }
            add(String(decoding: source.content[start..<scanner.position], as: UTF8.self), at: start)
        }
    }

    /// Appends a token with its offset in the file.
    private mutating func add(_ text: String, at offset: Int) {
        texts.append(text)
        offsets.append(offset)
    }

    /// The path of the file.
    var path: String { source.path }

    /// The imported modules, each with the index of its name; a part of a module counts as the module.
    var imports: [(module: String, index: Int)] {
        texts.indices.dropLast().compactMap { index in
            guard texts[index] == "import", index == 0 || texts[index - 1] != "." else { return nil }
            let isPart = ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"]
                .contains(texts[index + 1])
            let name = isPart ? index + 2 : index + 1
            return texts.indices.contains(name) ? (texts[name], name) : nil
        }
    }

    /// Returns the offset of a token in the file.
    func offset(of index: Int) -> Int { offsets[index] }

    /// Returns the position of a token, as editors count.
    func position(of index: Int) -> TextPosition {
        let before = source.content[..<offsets[index]]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
        return TextPosition(line: line, column: column, offset: offsets[index])
    }

    /// Returns whether a byte belongs to a name or number; every byte beyond ASCII does.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "$") || ScalarSet.wordCharacters.contains(Unicode.Scalar(byte))
    }

    /// Returns whether a slash after this token cannot be a division.
    private static func opensExpression(after token: String?) -> Bool {
        guard let token, let last = token.utf8.last else { return true }
        return !(isPartOfName(last) || "`)]}>?!\"".utf8.contains(last)) || Self.openers.contains(token)
    }

    /// The keywords that precede an expression.
    private static let openers: Set<String> = [
        "return", "in", "case", "where", "try", "await", "if", "guard", "while", "else", "throw", "switch",
    ]
}

extension ArraySlice<String> {
    /// Returns the index of the token that closes the bracket at an index; nil when none does.
    func closingBracket(of open: Int) -> Int? {
        var depth = 0
        for index in open..<endIndex {
            switch self[index] {
            case "{", "(", "[": depth += 1
            case "}", ")", "]":
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return nil
    }
}
