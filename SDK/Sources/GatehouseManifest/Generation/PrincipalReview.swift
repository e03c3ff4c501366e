// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Reviews the source of the plugin's type: whether it keeps state, and slips that still compile.
///
/// It reports only certain mistakes: a member may also come from a superclass, a protocol of the author's, a macro or a branch
/// of `#if`, and then none is missing.
struct PrincipalReview {
    /// Code that compiles and does nothing, in the order of files and positions.
    private(set) var mistakes: [SourceMistake] = []
    /// Whether the plugin keeps state; nil where its source does not tell.
    let keepsState: Bool?

    /// The names from the file inwards.
    private let path: [String]
    /// All declarations of the target.
    private let module: ModuleDeclarations
    /// The type and its extensions.
    private let parts: [SwiftDeclaration]
    /// Whether the source shows all members.
    private let isClosed: Bool
    /// Its static functions and variables, each with its part.
    private let members: [(part: SwiftDeclaration, member: SwiftMember)]

    /// Reviews everything, once.
    ///
    /// - Parameters:
    ///   - principal: the plugin's type, as the manifest names it.
    ///   - module: all declarations of its target.
    init(_ principal: String, in module: ModuleDeclarations) {
        let path = principal.split(separator: ".").map(String.init)
        let parts = module.all.filter { $0.path == path && $0.keyword != "typealias" }
        let members = parts.map { part in (part, SwiftMember.all(in: part)) }
        self.path = path
        self.module = module
        self.parts = parts
        self.members = members.flatMap { part, members in (members ?? []).map { (part, $0) } }
        isClosed =
            Self.isClosed(parts) && members.allSatisfy { $0.1 != nil } && !Self.extendsContract(module)
        keepsState = Self.keepsState(
            module.all.filter { $0.path == path + ["State"] && $0.keyword != "extension" }, module,
            isClosed: isClosed)
        checkAction()
        checkImport()
        guard isClosed else { return }
        checkConformance()
        checkSettings()
        checkState()
        checkMembers()
        checkMiddleware()
        mistakes.sort { ($0.path, $0.position) < ($1.path, $1.position) }
    }

    // MARK: - What is seen

    /// The protocols of the contract.
    private static let contract: Set<String> = [
        "Plugin", "InterceptingPlugin", "MigratingPlugin", "TimedPlugin", "BehaviorPlugin", "PluginTypes",
    ]

    /// Returns whether a type has no members but those between these braces.
    private static func isClosed(_ parts: [SwiftDeclaration]) -> Bool {
        let known = contract.union(ModuleDeclarations.harmless).union(ModuleDeclarations.qualifiers)
        return parts.count { $0.keyword != "extension" } == 1
            && parts.allSatisfy { part in
                !part.isGeneric && !part.isConditional && part.inherited.allSatisfy(known.contains)
                    && !part.modifiers.contains {
                        $0.hasPrefix("@") && SwiftMember.isMacro(String($0.dropFirst()))
                    }
            }
    }

    /// Returns whether the target extends the protocols of the contract, or declares others of their names.
    private static func extendsContract(_ module: ModuleDeclarations) -> Bool {
        module.all.contains { $0.path.last.map(contract.contains) == true }
    }

    /// Returns whether the type called State, if any, keeps anything.
    private static func keepsState(
        _ states: [SwiftDeclaration], _ module: ModuleDeclarations, isClosed: Bool
    ) -> Bool? {
        guard let state = states.first else { return isClosed ? false : nil }
        guard states.count == 1, !state.isConditional, !state.isGeneric else { return nil }
        guard state.keyword == "typealias", let target = state.inherited.last else { return true }
        if module.all.contains(where: {
            $0.path.last == target && ($0.keyword == "typealias" || target == "NoState")
        }) {
            return nil
        }
        return target != "NoState"
    }

    // MARK: - Slips

    /// Reports a type for the actions without cases.
    private mutating func checkAction() {
        guard let action = try? module.actions(of: path) else { return }
        checkParameters(of: action)
        guard
            ["struct", "class", "actor"].contains(action.keyword),
            (try? module.check(action, [])) != nil
        else { return }
        tell(
            action,
            "expected an enum, whose cases are the types of actions, found \(Self.article(action.keyword)); write enum \(action.path.last ?? ""), or AnyAction to hear everything"
        )
    }

    /// Reports actions with type parameters, which a host cannot fill in.
    private mutating func checkParameters(of action: SwiftDeclaration) {
        let generic = module.all.first { $0.path == path && $0.keyword != "extension" && $0.isGeneric }
        guard action.isGeneric, generic == nil else { return }
        tell(
            action,
            "expected \(action.path.last ?? "") without type parameters, found some, which a host could not fill in; write out the types that its cases carry"
        )
    }

    /// Reports a file that imports the core in place of the SDK, which has the parts of a plugin.
    private mutating func checkImport() {
        guard let file = type?.tokens else { return }
        let imports = file.imports
        guard let core = imports.first(where: { $0.module == "Gatehouse" }),
            imports.allSatisfy({ Self.systemModules.contains($0.module) || $0.module == "Gatehouse" })
        else { return }
        mistakes.append(
            SourceMistake(
                file, core.index,
                "expected import GatehouseSDK, found import Gatehouse, which is the part of it without Plugin; import GatehouseSDK alone"
            ))
    }

    /// Modules that do not re-export the SDK.
    private static let systemModules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Observation", "Dispatch",
    ]

    /// Reports a principal that is no plugin.
    private mutating func checkConformance() {
        guard let type, Self.contract.isDisjoint(with: adopted) else { return }
        tell(
            type,
            "expected \(principal), the principal in plugin.json, to adopt Plugin, found \(Self.article(type.keyword)) that does not; write \(type.keyword) \(path.last ?? ""): Plugin"
        )
    }

    /// Returns a mistake if the target does not declare the principal but has a likely candidate; nil otherwise.
    ///
    /// - Parameters:
    ///   - manifest: the path of the `plugin.json`.
    ///   - position: the position of the principal in it.
    func isMissing(in manifest: String, at position: TextPosition) -> SourceMistake? {
        guard !module.all.contains(where: { $0.path == path }) else { return nil }
        let plugins = module.all.filter {
            $0.keyword != "extension" && !Self.contract.isDisjoint(with: $0.inherited)
        }.map { $0.path.joined(separator: ".") }
        guard !plugins.isEmpty else { return nil }
        let near = plugins.count == 1 ? plugins.first : NearMiss.suggestion(for: principal, among: plugins)
        return SourceMistake(
            path: manifest, position: position,
            sentence:
                "expected as principal a type of this target that adopts Plugin, found \"\(principal)\"; "
                + (near.map { "did you mean \"\($0)\"?" }
                    ?? "choose one of \(plugins.map { "\"\($0)\"" }.joined(separator: ", "))"))
    }

    /// Reports settings under another name.
    private mutating func checkSettings() {
        guard types(named: "Settings").isEmpty else { return }
        for type in nested where type.inherited.contains("PluginSettings") {
            tell(
                type,
                "expected Settings, found \(type.path.last ?? ""), which does not receive the settings of an operator; rename it"
            )
        }
    }

    /// Reports functions about a state that does not exist.
    private mutating func checkState() {
        let names = nested.compactMap(\.path.last)
        let near = NearMiss.suggestion(for: "State", among: names)
        let user = members.first { _, member in
            guard !member.result.contains("NoState") else { return false }
            return switch member.name {
            case "reducer": member.result.contains("Reducer")
            case "initialState": near != nil || member.parameters?.contains("Settings") == true
            default: false
            }
        }
        guard let user, types(named: "State").isEmpty else { return }
        if let near, let type = types(named: near).first {
            tell(
                type,
                "expected State, found \(near); without a type of that name nothing calls \(user.member.name), so rename it"
            )
        } else {
            tell(
                user.part, user.member,
                "expected a type called State in \(principal), found none, so that nothing calls \(user.member.name); declare it"
            )
        }
    }

    /// Reports functions of nearly the right name, and those of protocols that the plugin does not adopt.
    private mutating func checkMembers() {
        for (part, member) in members {
            for (name, taken, given, contract) in Self.furtherFunctions
            where member.name == name && taken.isSubset(of: member.parameters ?? [])
                && member.result.contains(given) && !adopted.contains(contract)
            {
                tell(
                    part, member,
                    "expected \(principal) to adopt \(contract), found \(adopted.intersection(Self.contract).sorted().first ?? "Plugin") alone, so that nothing calls its \(name); adopt it"
                )
            }
            if adopted.contains("BehaviorPlugin"),
                ["reducer", "middleware", "middlewares"].contains(member.name)
            {
                tell(
                    part, member,
                    "expected behavior alone in a type that adopts BehaviorPlugin, found \(member.name), which nothing calls; move it into the behavior, or adopt Plugin"
                )
            }
            for name in ["initialState", "reducer", "middleware", "middlewares", "interceptor"]
            where !members.contains(where: { $0.member.name == name })
                && (name != "middleware" || !hasMiddleware)
                && Self.isSlip(member, of: name, keepsState: keepsState == true)
            {
                tell(part, member, "expected \(name), found \(member.name), which nothing calls; rename it")
            }
        }
    }

    /// Reports a plugin without a middleware, a behavior, or a function of nearly that name.
    private mutating func checkMiddleware() {
        guard let type, !adopted.isDisjoint(with: Self.contract), !adopted.contains("BehaviorPlugin"),
            !hasMiddleware
        else { return }
        let isToldAlready = members.contains { _, member in
            member.name == "behavior"
                || ["middleware", "middlewares"].contains {
                    Self.isSlip(member, of: $0, keepsState: keepsState == true)
                }
        }
        guard !isToldAlready else { return }
        tell(
            type,
            "expected middleware() or middlewares() in \(principal), found neither; write one of them, with .doNothing() for a plugin that only keeps state"
        )
    }

    /// Whether it has a function that provides its middlewares.
    private var hasMiddleware: Bool { members.contains { Self.alternatives.contains($0.member.name) } }

    /// The functions of which a plugin has one; `logic` replaces both.
    private static let alternatives: Set<String> = ["middleware", "middlewares", "logic"]

    /// Optional functions, each with words of its parameters and result, and the protocol that requires it.
    private static let furtherFunctions: [(String, taken: Set<String>, given: String, String)] = [
        ("interceptor", [], "AnyInterceptor", "InterceptingPlugin"),
        ("migrate", ["Value", "from"], "Value", "MigratingPlugin"),
        ("reducer", ["now"], "Reducer", "TimedPlugin"),
        ("behavior", [], "Behavior", "BehaviorPlugin"),
    ]

    /// Returns whether a member has nearly the name of a function of the contract, and its shape.
    private static func isSlip(_ member: SwiftMember, of name: String, keepsState: Bool) -> Bool {
        let distance = NearMiss.distance(from: Array(member.name.lowercased()), to: Array(name.lowercased()))
        guard !alternatives.contains(member.name), distance <= (name.count < 10 ? 1 : 2) else { return false }
        let result = Set(member.result)
        return switch name {
        case "initialState": keepsState || member.parameters?.contains("Settings") == true
        case "reducer": result.contains("Reducer")
        case "middleware": !result.contains("[") && !result.isDisjoint(with: ["Reader", "MiddlewareReader"])
        case "middlewares": result.contains("[") && !result.isDisjoint(with: ["Reader", "MiddlewareReader"])
        default: result.contains("AnyInterceptor")
        }
    }

    // MARK: - Words

    /// Prefixes a keyword with its article.
    private static func article(_ keyword: String) -> String {
        (["actor", "enum"].contains(keyword) ? "an " : "a ") + keyword
    }

    /// The name of the type, as the manifest has it.
    private var principal: String { path.joined(separator: ".") }

    /// The declaration of the type.
    private var type: SwiftDeclaration? { parts.first { $0.keyword != "extension" } }

    /// The protocols that the type and its extensions adopt.
    private var adopted: Set<String> { Set(parts.flatMap(\.inherited)) }

    /// The types directly inside of the plugin.
    private var nested: [SwiftDeclaration] {
        module.all.filter {
            $0.path.count == path.count + 1 && $0.path.starts(with: path) && $0.keyword != "extension"
        }
    }

    /// Returns the nested types with a name.
    private func types(named name: String) -> [SwiftDeclaration] { nested.filter { $0.path.last == name } }

    /// Records a mistake in a declaration.
    private mutating func tell(_ declaration: SwiftDeclaration, _ sentence: String) {
        mistakes.append(SourceMistake(declaration.tokens, declaration.name, sentence))
    }

    /// Records a mistake in a member of a part.
    private mutating func tell(_ part: SwiftDeclaration, _ member: SwiftMember, _ sentence: String) {
        mistakes.append(SourceMistake(part.tokens, member.index, sentence))
    }
}
