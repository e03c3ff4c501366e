// SPDX-License-Identifier: Apache-2.0

/// Finds the types, type aliases and extensions of a Swift file, including nested ones; skips functions.
struct SwiftDeclarationReader {
    /// The declarations so far.
    private(set) var declarations: [SwiftDeclaration] = []
    /// The tokens of the file.
    private let file: SwiftTokens
    /// The texts of the tokens in the file.
    private var tokens: [String] { file.texts }
    /// The index of the next token.
    private var position = 0

    /// The surroundings of a declaration.
    private struct Scope {
        /// The names of the enclosing types, from the outside inwards.
        var path: [String] = []
        /// The modifiers and attributes of all of them.
        var modifiers: [String] = []
        /// Whether one of them is generic.
        var isGeneric = false
        /// Whether one of them is inside `#if`.
        var isConditional = false
    }

    /// Reads a whole file; nil when its braces do not match.
    static func declarations(in file: SwiftTokens) -> [SwiftDeclaration]? {
        var reader = SwiftDeclarationReader(file)
        guard reader.readScope(Scope()), reader.position == file.texts.count else { return nil }
        return reader.declarations
    }

    /// Starts at the beginning of the file.
    private init(_ file: SwiftTokens) { self.file = file }

    /// Reads up to the brace that closes the scope, or the end of the file; false when a bracket is left open.
    private mutating func readScope(_ scope: Scope) -> Bool {
        var conditions = 0
        var modifiers: [String] = []
        while let token = peek(), token != "}" {
            var inner = scope
            inner.isConditional = scope.isConditional || conditions > 0
            inner.modifiers += modifiers
            if token == "@" {
                modifiers.append(readAttribute())
                continue
            }
            if SwiftDeclaration.modifiers.contains(token) {
                modifiers.append(token)
                position += 1
                continue
            }
            modifiers = []
            switch token {
            case "#if": conditions += 1
            case "#endif": conditions -= 1
            case "{", "(", "[":
                guard skipBrackets() else { return false }
                continue
            case "typealias" where isName(peek(1)):
                readAlias(inner)
                continue
            default:
                if SwiftDeclaration.keywords.contains(token), let name = peek(1), isName(name),
                    !["func", "var", "let", "subscript"].contains(name), ![".", "import"].contains(peek(-1))
                {
                    guard readType(inner) else { return false }
                    continue
                }
            }
            position += 1
        }
        return conditions == 0
    }

    /// Reads a type or extension; the next token is its keyword.
    private mutating func readType(_ scope: Scope) -> Bool {
        let keyword = tokens[position]
        position += 1
        let name = position
        var inner = scope
        inner.path += readPath()
        var inherited: [String] = []
        while let token = peek(), token != "{" {
            if token == "}" { return false }
            if token == "<" || token == "where" { inner.isGeneric = true }
            if token == "(" || token == "[" {
                guard skipBrackets() else { return false }
                continue
            }
            inherited.append(token)
            position += 1
        }
        position += 1
        let start = position
        guard readScope(inner), peek() == "}" else { return false }
        declarations.append(
            SwiftDeclaration(
                keyword: keyword, path: inner.path, modifiers: inner.modifiers,
                inherited: inherited.filter { $0 != "," && $0 != ":" }, isGeneric: inner.isGeneric,
                isConditional: inner.isConditional, body: tokens[start..<position], tokens: file, name: name))
        position += 1
        return true
    }

    /// Reads a type alias; the next token is its keyword.
    private mutating func readAlias(_ scope: Scope) {
        let name = position + 1
        let path = scope.path + [tokens[name]]
        position += 2
        let isGeneric = peek() != "="
        var target: [String] = []
        if !isGeneric {
            position += 1
            target = readPath()
        }
        // A longer type continues here: brackets of an array, arguments of a generic type, a composition.
        let isPath = !["<", "?", "!", "&", "-", "."].contains(peek()) && !target.isEmpty
        declarations.append(
            SwiftDeclaration(
                keyword: "typealias", path: path, modifiers: scope.modifiers,
                inherited: isPath ? target : [], isGeneric: isGeneric || scope.isGeneric,
                isConditional: scope.isConditional, body: [], tokens: file, name: name))
    }

    /// Reads names with dots between them.
    private mutating func readPath() -> [String] {
        var path: [String] = []
        while let name = peek(), isName(name) {
            path.append(name)
            position += 1
            guard peek() == ".", isName(peek(1)) else { break }
            position += 1
        }
        return path
    }

    /// Reads an attribute and skips its arguments.
    private mutating func readAttribute() -> String {
        position += 1
        let name = readPath().joined(separator: ".")
        if peek() == "(" { _ = skipBrackets() }
        return "@" + name
    }

    /// Skips from a bracket to the one that closes it; false when none does.
    private mutating func skipBrackets() -> Bool {
        let end = tokens[...].closingBracket(of: position)
        position = end.map { $0 + 1 } ?? tokens.endIndex
        return end != nil
    }

    /// Returns the token at a distance from the next one, nil outside the file.
    private func peek(_ distance: Int = 0) -> String? {
        tokens.indices.contains(position + distance) ? tokens[position + distance] : nil
    }

    /// Returns whether a token is a name or a keyword.
    private func isName(_ token: String?) -> Bool {
        guard let first = token?.unicodeScalars.first else { return false }
        return first == "_" || first == "`" || first.properties.isAlphabetic
    }
}
