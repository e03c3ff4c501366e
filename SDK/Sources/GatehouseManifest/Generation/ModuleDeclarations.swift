// SPDX-License-Identifier: Apache-2.0

/// All declarations of a plugin's target, and their effect on the enum of its actions.
struct ModuleDeclarations {
    /// In the order of files and, within a file, from the inside outwards.
    let all: [SwiftDeclaration]

    /// Reads all Swift files of a target.
    ///
    /// - Throws: when one of them may be misunderstood.
    init(_ sources: [SourceFile]) throws(ActionEnum.Refusal) {
        var all: [SwiftDeclaration] = []
        for source in sources {
            guard let tokens = SwiftTokens(source),
                let found = SwiftDeclarationReader.declarations(in: tokens)
            else { throw ActionEnum.Refusal([source.name], "is not understood") }
            all += found
        }
        self.all = all
    }

    /// Conformances of the enum that do not change its coding.
    static let harmless: Set<String> = [
        "PluginAction", "Codable", "Encodable", "Decodable", "Sendable", "Equatable", "Hashable",
        "Identifiable",
        "CaseIterable", "Comparable", "CustomStringConvertible", "CustomDebugStringConvertible",
    ]

    /// Returns the principal's enum `Action`; nil if that is `AnyAction`.
    func actions(of principal: [String]) throws(ActionEnum.Refusal) -> SwiftDeclaration? {
        let path = principal + ["Action"]
        let found = try only(path)
        guard found.keyword == "typealias" else { return found }
        let target = found.inherited
        if (target == ["AnyAction"] || target == ["GatehouseSDK", "AnyAction"]), !found.isGeneric,
            !found.isConditional, !all.contains(where: { $0.path.last == "AnyAction" })
        {
            return nil
        }
        // The compiler looks up an alias from the inside outwards; accept it only where the direction does not matter.
        let places = (0...principal.count).map { principal.prefix($0) + target }.filter { place in
            all.contains { $0.path == Array(place) }
        }
        guard !target.isEmpty, places.count == 1, !found.isConditional else {
            throw ActionEnum.Refusal(
                path, "is a type alias of something else than one enum of the same module")
        }
        return try only(Array(places[0]))
    }

    /// Returns the only declaration at a path.
    private func only(_ path: [String]) throws(ActionEnum.Refusal) -> SwiftDeclaration {
        let found = all.filter { $0.path == path && $0.keyword != "extension" }
        guard found.count == 1 else {
            throw ActionEnum.Refusal(
                path, found.isEmpty ? "is not found" : "is declared \(found.count) times")
        }
        return found[0]
    }

    /// Refuses an enum whose cases may not tell everything.
    func check(_ actions: SwiftDeclaration, _ cases: [ActionEnum.Case]) throws(ActionEnum.Refusal) {
        let path = actions.path
        if actions.isConditional { throw ActionEnum.Refusal(path, "stands inside #if") }
        if actions.isGeneric { throw ActionEnum.Refusal(path, "is generic") }
        for word in actions.modifiers
        where word.hasPrefix("@") || word.hasSuffix("private") || word == "package" {
            throw ActionEnum.Refusal(path, word.hasPrefix("@") ? "has the attribute \(word)" : "is \(word)")
        }
        if let name = all.lazy.compactMap(\.path.last).first(where: Self.reserved.contains) {
            throw ActionEnum.Refusal(
                path, "would be coded in terms of \(name), which the module declares itself")
        }
        let aliases = Set(all.lazy.filter { $0.keyword == "typealias" }.compactMap(\.path.last))
        for part in all where part.keyword == "extension" || part.path == path {
            guard let name = part.path.last else { continue }
            let isPart = name == path.last || aliases.contains(name)
            guard isPart || Self.harmless.contains(name) else { continue }
            if let member = Self.ownCoding(in: part.body) {
                throw ActionEnum.Refusal(path, "may have its own \(member)")
            }
            if let name = Self.overload(of: cases, in: part.body) {
                throw ActionEnum.Refusal(path, "has a function that reads like the case \(name)")
            }
            guard isPart else { continue }
            for name in part.inherited where !Self.harmless.contains(name) && !Self.qualifiers.contains(name)
            {
                throw ActionEnum.Refusal(path, "conforms to \(name), which may code it")
            }
        }
    }

    /// Returns whether other modules see a declaration and everything around it.
    func isPublic(_ declaration: SwiftDeclaration) -> Bool {
        guard declaration.modifiers.contains("public") else { return false }
        return declaration.path.indices.dropFirst().allSatisfy { count in
            all.contains {
                $0.keyword != "extension" && $0.path == Array(declaration.path.prefix(count))
                    && $0.modifiers.contains("public")
            }
        }
    }

    /// Names used by generated code.
    private static let reserved: Set<String> = ["Swift", "GatehouseSDK", "GatehouseTypes"]
    /// Possible prefixes of a protocol's name.
    static let qualifiers: Set<String> = ["Swift", "GatehouseSDK", "."]

    /// Returns the first member that takes part in coding, at any depth of a body.
    private static func ownCoding(in body: ArraySlice<String>) -> String? {
        for (index, token) in zip(body.indices, body) {
            let rest = body[(index + 1)...]
            if token.hasSuffix("CodingKeys") { return token }
            if ["func", "var", "let"].contains(token), let name = rest.first, Self.members.contains(name) {
                return name
            }
            if token == "init", let open = rest.prefix(8).firstIndex(of: "("), open + 1 < body.endIndex,
                ["from", "name", "type"].contains(body[open + 1])
            {
                return "init(\(body[open + 1]):)"
            }
        }
        return nil
    }

    /// Returns the first case that a call may confuse with a function of its name that takes at least its labels.
    private static func overload(of cases: [ActionEnum.Case], in body: ArraySlice<String>) -> String? {
        for index in body.indices where body[index] == "func" {
            let rest = body[(index + 1)...]
            guard let one = cases.first(where: { [$0.name, "`\($0.name)`"].contains(rest.first) }) else {
                continue
            }
            var wanted = one.labels[...]
            for (token, next) in zip(rest, rest.dropFirst()) {
                if token == "{" || token == "func" { break }
                guard let label = wanted.first else { break }
                if [label ?? "_", "`\(label ?? "_")`"].contains(token), next != "=" { wanted.removeFirst() }
            }
            if wanted.isEmpty { return one.name }
        }
        return nil
    }

    /// The members that take part in coding.
    private static let members: Set<String> = ["encode", "encoded", "encodedName", "encodedType"]
}
