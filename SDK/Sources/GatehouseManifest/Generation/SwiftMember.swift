// SPDX-License-Identifier: Apache-2.0

/// A static function or variable of a type or extension.
struct SwiftMember {
    /// The name of the member.
    let name: String
    /// The index of its name among the tokens of its file.
    let index: Int
    /// The tokens between a function's parentheses; nil for a variable.
    let parameters: ArraySlice<String>?
    /// The tokens up to a body or the next declaration: the type, perhaps a value.
    let result: ArraySlice<String>

    /// Returns all direct members of a declaration; nil if a macro or a compiler condition may add others.
    static func all(in declaration: SwiftDeclaration) -> [SwiftMember]? {
        let body = declaration.body
        var members: [SwiftMember] = []
        var depth = 0
        var isStatic = false
        for index in body.indices {
            let token = body[index]
            if opening.contains(token) { depth += 1 }
            if closing.contains(token) { depth -= 1 }
            guard depth == 0, !closing.contains(token) else { continue }
            if token.hasPrefix("#") { return nil }
            if token == "@", index + 1 < body.endIndex, isMacro(body[index + 1]) { return nil }
            if token == "static" || token == "class" {
                isStatic = true
            } else if ["func", "var", "let"].contains(token), index + 1 < body.endIndex {
                if isStatic { members.append(SwiftMember(at: index + 1, in: body)) }
                isStatic = false
            } else if !modifiers.contains(token) {
                isStatic = false
            }
        }
        return members
    }

    /// Returns whether an attribute may add declarations: the language's own begin with a small letter, but for two.
    static func isMacro(_ attribute: String) -> Bool {
        attribute.first?.isUppercase == true && !["MainActor", "Sendable"].contains(attribute)
    }

    /// Reads on after the keyword.
    private init(at name: Int, in body: ArraySlice<String>) {
        index = name
        self.name = body[name].filter { $0 != "`" }
        var end = name + 1
        var depth = 0
        var parameters: Range<Int>?
        while end < body.endIndex {
            let token = body[end]
            if depth == 0, token == "{" || Self.ends.contains(token) { break }
            if Self.opening.contains(token) { depth += 1 }
            if Self.closing.contains(token) { depth -= 1 }
            if depth < 0 { break }
            end += 1
            if depth == 0, token == ")", parameters == nil, body[name - 1] == "func" {
                parameters = name + 1..<end
            }
        }
        self.parameters = parameters.map { body[$0] }
        result = body[(parameters?.upperBound ?? name + 1)..<end]
    }

    /// The tokens that open a bracket.
    private static let opening: Set<String> = ["{", "(", "["]
    /// The tokens that close a bracket.
    private static let closing: Set<String> = ["}", ")", "]"]
    /// The words that may stand between `static` and the keyword.
    private static let modifiers = SwiftDeclaration.modifiers.union([
        "override", "mutating", "unsafe", "weak",
    ])
    /// The words that begin the next declaration.
    private static let ends = SwiftDeclaration.keywords.union(SwiftDeclaration.modifiers).union([
        "@", "static", "func", "var", "let", "init", "case", "subscript", "typealias",
    ])
}
