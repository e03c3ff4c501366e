// SPDX-License-Identifier: Apache-2.0

/// Reads the cases of an enum; skips the types of their values, because the compiler knows them.
struct ActionCaseReader {
    /// The tokens between the braces of the enum that are not read yet.
    private var rest: ArraySlice<String>
    /// The path of the enum, for refusals.
    private let path: [String]

    /// Returns the cases of an enum in order.
    ///
    /// - Throws: if any part may be misunderstood.
    static func cases(of declaration: SwiftDeclaration) throws(ActionEnum.Refusal) -> [ActionEnum.Case] {
        var reader = ActionCaseReader(declaration)
        let cases = try reader.readBody()
        guard !cases.isEmpty, Set(cases.map(\.name)).count == cases.count else {
            throw reader.refusal("has no cases, or two of one name")
        }
        return cases
    }

    /// Starts after the brace.
    private init(_ declaration: SwiftDeclaration) {
        rest = declaration.body
        path = declaration.path
    }

    /// Reads the whole body; skips members in brackets.
    private mutating func readBody() throws(ActionEnum.Refusal) -> [ActionEnum.Case] {
        var cases: [ActionEnum.Case] = []
        while let token = rest.first {
            if ["{", "(", "["].contains(token) {
                _ = try readBrackets()
                continue
            }
            rest.removeFirst()
            switch token {
            case "case": cases += try readCases()
            case "@": throw refusal("holds the attribute @\(rest.first ?? "")")
            case _ where token.hasPrefix("#"): throw refusal("holds \(token)")
            default: break
            }
        }
        return cases
    }

    /// Reads the rest of one `case`: one or more names with commas between them.
    private mutating func readCases() throws(ActionEnum.Refusal) -> [ActionEnum.Case] {
        var cases: [ActionEnum.Case] = []
        while true {
            let written = rest.popFirst() ?? ""
            let name = Self.plain(written)
            guard Self.isSimple(name), !Self.special.contains(name) else {
                throw refusal("has the case \(written), whose name is not simple")
            }
            let labels = rest.first == "(" ? try labels(in: try readBrackets(), of: name) : []
            if rest.first == "=" { throw refusal("has raw values") }
            let found = ActionEnum.Case(name: name, labels: labels)
            guard Set(found.keys).count == labels.count else {
                throw refusal("has the case \(name) with two labels of one name")
            }
            cases.append(found)
            guard rest.first == "," else { return cases }
            rest.removeFirst()
        }
    }

    /// Returns everything between the next bracket and the one that closes it, and skips all of it.
    private mutating func readBrackets() throws(ActionEnum.Refusal) -> ArraySlice<String> {
        guard let end = rest.closingBracket(of: rest.startIndex) else {
            throw refusal("has a bracket that is not closed")
        }
        defer { rest = rest[(end + 1)...] }
        return rest[(rest.startIndex + 1)..<end]
    }

    /// Returns the labels of the values between the parentheses of a case.
    private func labels(
        in values: ArraySlice<String>, of name: String
    ) throws(ActionEnum.Refusal) -> [String?] {
        // A default value may contain comparisons, so its angle brackets are no brackets; attributes may be macros.
        let isSimple =
            values.contains("=")
            ? !values.contains { ["<", ">", "{"].contains($0) }
            : !values.contains { ["-", "{"].contains($0) }
        guard isSimple, !values.contains(where: { $0 == "@" || $0.hasPrefix("#") }) else {
            throw refusal("has the case \(name) with a value that is not simple")
        }
        var labels: [String?] = []
        var depth = 0
        var part: [String] = []
        for token in values + [","] {
            switch token {
            case "(", "[", "<": depth += 1
            case ")", "]", ">": depth -= 1
            case "," where depth == 0:
                labels.append(try label(of: part, in: name))
                part = []
                continue
            default: break
            }
            part.append(token)
        }
        return labels
    }

    /// Returns the label of a value, nil for none.
    private func label(of value: [String], in name: String) throws(ActionEnum.Refusal) -> String? {
        guard !value.isEmpty else { throw refusal("has the case \(name) with a value that is not simple") }
        if value.count > 1, value[1] == ":" {
            let label = Self.plain(value[0])
            if label == "_" { return nil }
            guard Self.isSimple(label), !["inout", "var", "let"].contains(label) else {
                throw refusal("has the case \(name) with the label \(value[0]), which is not simple")
            }
            return label
        }
        // A dictionary begins with a bracket.
        if value.count > 2, value[2] == ":", !["_", "[", "("].contains(value[0]) {
            throw refusal("has the case \(name) with a value of two labels")
        }
        return nil
    }

    /// Removes the backticks of a name.
    private static func plain(_ name: String) -> String {
        name.count > 2 && name.hasPrefix("`") && name.hasSuffix("`")
            ? String(name.dropFirst().dropLast()) : name
    }

    /// Returns whether a name has only ASCII letters, digits and underscores, and so only one spelling.
    private static func isSimple(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, !ScalarSet.digits.contains(first) else { return false }
        return name.unicodeScalars.allSatisfy(ScalarSet.wordCharacters.contains)
    }

    /// Names with another meaning after a dot, or none.
    private static let special: Set<String> = [
        "init", "self", "Self", "Type", "Protocol", "_", "Swift", "GatehouseSDK", "GatehouseTypes",
    ]

    /// Creates a refusal that names the enum.
    private func refusal(_ clause: String) -> ActionEnum.Refusal { ActionEnum.Refusal(path, clause) }
}
