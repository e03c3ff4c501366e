// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseValue
import Testing

@testable import GatehouseManifest

/// Slips of an author that the compiler takes, and ordinary code that looks like one.
@Suite(.timeLimit(.minutes(10))) struct PrincipalReviewTests {
    /// What is found in files with these texts, for the principal `P`.
    private func review(_ texts: [String], principal: String = "P") throws -> PrincipalReview {
        PrincipalReview(
            principal,
            in: try ModuleDeclarations(
                texts.enumerated().map { SourceFile(path: "\($0).swift", content: Array($1.utf8)) }))
    }

    /// The mistakes in a plugin with this between its braces.
    private func mistakes(_ body: String, _ more: String...) throws -> [String] {
        try review(
            [
                "struct P: Plugin {\n    enum Action: PluginAction { case a }\n    \(body)\n    \(middleware)\n}"
            ] + more
        )
        .mistakes.map(\.description)
    }

    /// What no plugin is without.
    private let middleware = "static func middleware() -> Reader { .doNothing() }"

    @Test(arguments: [
        "", "static func handle() -> Reader { .doNothing() }",
        "static func middleware2(_ text: String) -> Int { 1 }",
    ])
    func `a plugin that has neither a middleware nor middlewares`(body: String) throws {
        #expect(
            try review(["struct P: Plugin { enum Action: PluginAction { case a }\n \(body)\n}"]).mistakes
                .map(\.description) == [
                    "0.swift:1:8: error: expected middleware() or middlewares() in P, found neither; write one of them, with .doNothing() for a plugin that only keeps state"
                ])
    }

    @Test(arguments: [
        "static func middleware() -> Reader { .doNothing() }",
        "static func middlewares() -> [Reader] { [] }",
        "static func logic(_ settings: Settings, now: ActionTime) -> PluginLogic<Action, State, Context> { made() }",
        "#make",
    ])
    func `a plugin that has one of them, or something that may be one`(body: String) throws {
        let text = "struct P: Plugin { enum Action: PluginAction { case a }\n \(body)\n}"
        #expect(try review([text]).mistakes == [])
        let empty = "struct P: Plugin { enum Action: PluginAction { case a } }"
        #expect(try review([empty, "extension P { \(body) }"]).mistakes == [])
    }

    @Test func `a behavior takes the place of both`() throws {
        let text = """
            struct P: BehaviorPlugin { enum Action: PluginAction { case a }
            static func behavior(_ settings: Settings) -> Behavior<Action, State, Context> { .identity } }
            """
        #expect(try review([text]).mistakes == [])
    }

    @Test func `a middleware of nearly the right name is the only thing said`() throws {
        #expect(
            try review([
                "struct P: Plugin { enum Action: PluginAction { case a }\n static func midleware() -> Reader { .doNothing() }\n}"
            ]).mistakes.map(\.description) == [
                "0.swift:2:14: error: expected middleware, found midleware, which nothing calls; rename it"
            ])
    }

    @Test func `an interceptor of a type that says only Plugin`() throws {
        let function =
            "static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> { AnyInterceptor { _, _, _, _, _ in } }"
        #expect(
            try mistakes(function) == [
                "0.swift:3:17: error: expected P to adopt InterceptingPlugin, found Plugin alone, so that nothing calls its interceptor; adopt it"
            ])
        #expect(
            try mistakes("", "extension P {\n  \(function)\n}") == [
                "1.swift:2:15: error: expected P to adopt InterceptingPlugin, found Plugin alone, so that nothing calls its interceptor; adopt it"
            ])
        #expect(try mistakes(function, "extension P: InterceptingPlugin {}") == [])
        #expect(try mistakes("static func interceptor() -> Gatekeeper { Gatekeeper() }") == [])
        #expect(try mistakes("func interceptor() -> AnyInterceptor<Action, State> { .identity }") == [])
    }

    @Test func `a migration of a type that says only Plugin`() throws {
        let function = "static func migrate(_ state: Value, from version: Int) throws -> Value { state }"
        #expect(
            try mistakes(function) == [
                "0.swift:3:17: error: expected P to adopt MigratingPlugin, found Plugin alone, so that nothing calls its migrate; adopt it"
            ])
        #expect(try mistakes(function, "extension P: MigratingPlugin {}") == [])
        #expect(try mistakes("static func migrate(_ old: Settings) -> Value { .null }") == [])
    }

    @Test func `an import of the core is taken where another module may bring the SDK`() throws {
        let plugin = "struct P: Plugin {\n    enum Action: PluginAction { case a }\n    \(middleware)\n}"
        let sentence =
            "expected import GatehouseSDK, found import Gatehouse, which is the part of it without Plugin; import GatehouseSDK alone"
        let found = { (imports: String) in
            try review([imports + "\n" + plugin]).mistakes.map(\.description)
        }
        #expect(try found("import Gatehouse") == ["0.swift:1:8: error: \(sentence)"])
        #expect(try found("import struct Gatehouse.Effect") == ["0.swift:1:15: error: \(sentence)"])
        #expect(try found("import Gatehouse\nimport GatehouseSDK") == [])
        #expect(try found("import Gatehouse\nimport Shop") == [])
        #expect(try found("import GatehouseSDK") == [])
    }

    @Test func `a principal that adopts nothing, unless a macro or an alias may hide what it adopts`() throws
    {
        let body = "{ enum Action: PluginAction { case a }\n\(middleware) }"
        #expect(
            try review(["struct P \(body)"]).mistakes.map(\.description) == [
                "0.swift:1:8: error: expected P, the principal in plugin.json, to adopt Plugin, found a struct that does not; write struct P: Plugin"
            ])
        #expect(try review(["struct P \(body)", "extension P: Plugin {}"]).mistakes == [])
        #expect(try review(["@Made struct P \(body)"]).mistakes == [])
        #expect(try review(["struct P: Base \(body)"]).mistakes == [])
    }

    @Test func `a principal that is not there, where the target has plugins`() throws {
        let missing = { (texts: [String], principal: String) in
            try review(texts, principal: principal).isMissing(
                in: "plugin.json", at: TextPosition(line: 2, column: 3, offset: 9))?.description
        }
        let start =
            "plugin.json:2:3: error: expected as principal a type of this target that adopts Plugin, found"
        #expect(
            try missing(["struct Counter: Plugin {}"], "Other")
                == #"\#(start) "Other"; did you mean "Counter"?"#)
        #expect(
            try missing(["struct Counter: Plugin {}\nstruct Tally: MigratingPlugin {}"], "Taly")
                == #"\#(start) "Taly"; did you mean "Tally"?"#)
        #expect(
            try missing(["struct Counter: Plugin {}\nstruct Tally: MigratingPlugin {}"], "Zebra")
                == #"\#(start) "Zebra"; choose one of "Counter", "Tally""#)
        #expect(try missing(["typealias Other = Counter", "struct Counter: Plugin {}"], "Other") == nil)
        #expect(try missing(["struct Helper {}"], "Other") == nil)
    }

    @Test func `settings of another name`() throws {
        #expect(
            try mistakes("struct Setings: PluginSettings { var a = 1 }") == [
                "0.swift:3:12: error: expected Settings, found Setings, which does not receive the settings of an operator; rename it"
            ])
        #expect(
            try mistakes("struct Settings: PluginSettings { struct Inner: PluginSettings {} }") == [])
        #expect(
            try mistakes("struct Inner: PluginSettings {}", "extension P { typealias Settings = Inner }")
                == [])
        #expect(try mistakes("struct Setting: Codable { var a = 1 }") == [])
    }

    @Test func `a state of another name`() throws {
        let users = """
            static func initialState(_ settings: Settings) -> Stat { Stat() }
                static func reducer(_ settings: Settings) -> Reducer<Action, Stat> { .identity }
            """
        #expect(
            try mistakes("struct Stat: Codable { var a = 1 }\n    " + users) == [
                "0.swift:3:12: error: expected State, found Stat; without a type of that name nothing calls initialState, so rename it"
            ])
        #expect(
            try mistakes("static func reducer(_ settings: Settings) -> Reducer<Action, Counts> { .identity }")
                == [
                    "0.swift:3:17: error: expected a type called State in P, found none, so that nothing calls reducer; declare it"
                ])
        #expect(try mistakes("struct State: Codable {}\n    " + users) == [])
        #expect(try mistakes(users, "extension P { typealias State = Stat }") == [])
        #expect(
            try mistakes(
                "static func reducer(_ settings: Settings) -> Reducer<Action, NoState> { .identity }") == [])
    }

    @Test(arguments: [
        (
            "struct State: Codable {}; static func initalState(_ settings: Settings) -> State { State() }",
            "initialState", "initalState"
        ),
        (
            "struct State: Codable {}; static var initalState: State { State() }", "initialState",
            "initalState"
        ),
        ("static func intialState(_ settings: Settings) -> Int { 1 }", "initialState", "intialState"),
        (
            "struct State: Codable {}; static func reduce(_ settings: Settings) -> Reducer<Action, State> { .identity }",
            "reducer", "reduce"
        ),
        ("static func middelwares() -> [Reader] { [] }", "middlewares", "middelwares"),
        (
            "static func intercepter(_ c: Context) -> AnyInterceptor<Action, State> { .identity }",
            "interceptor", "intercepter"
        ),
    ])
    func `a function of nearly the right name`(body: String, expected: String, found: String) throws {
        let mistake = try #require(try mistakes(body).first)
        #expect(
            mistake.hasSuffix(": error: expected \(expected), found \(found), which nothing calls; rename it")
        )
    }

    @Test(arguments: ["struct", "final class"])
    func `actions that have no cases`(keyword: String) throws {
        let text = "struct P: Plugin { \(keyword) Action: PluginAction { var name = \"\" }\n\(middleware) }"
        let word = String(keyword.split(separator: " ").last ?? "")
        #expect(
            try review([text]).mistakes.map(\.sentence) == [
                "expected an enum, whose cases are the types of actions, found a \(word); write enum Action, or AnyAction to hear everything"
            ])
    }

    @Test(arguments: [
        "struct P: Plugin { struct Action: PluginAction { init(name: String, payload: TapeView?) throws {} } }",
        "struct P: Plugin { struct Action: PluginAction { func encoded() throws -> (name: String, payload: Value?) { (\"a\", nil) } } }",
        "struct P: Plugin { struct Action: Mine {} }",
        "struct P: Plugin { typealias Action = AnyAction }",
    ])
    func `actions that code themselves may be anything`(text: String) throws {
        #expect(try review([text, "extension P { \(middleware) }"]).mistakes == [])
    }

    @Test(arguments: [
        "// static func interceptor() -> AnyInterceptor<Action, State>",
        "/* struct Setings: PluginSettings {} */",
        "static let text = \"\"\"\n struct Setings: PluginSettings {}\n \"\"\"",
        "static func producer() -> Reducer<Int, Int> { .identity }",
        "static func reduce(_ numbers: [Int]) -> Int { 0 }",
        "static func middlewareA() -> Reader { .doNothing() }",
        "static let initialStates = [1]",
        "static let initialState = Machine.idle",
        "static func reducer() -> Machine { .idle }",
        "enum Inner { static func interceptor() -> AnyInterceptor<Action, State> { .identity } }",
        "static func f() { struct Setings: PluginSettings {} }",
        "#if A\n static func intercepter() -> AnyInterceptor<Action, State> { .identity }\n#endif",
        "@Make struct Setings: PluginSettings {}",
        "@Make static func middelwares() -> [Reader] { [] }",
        "#make\n struct Setings: PluginSettings {}",
    ])
    func `ordinary code raises no alarm`(body: String) throws {
        #expect(try mistakes(body) == [])
    }

    @Test(arguments: ["static var title", "static let title"])
    func `a variable that an author has not written out yet raises no alarm`(body: String) throws {
        #expect(try mistakes(body) == [])
        #expect(try mistakes("", "extension P { \(body) }") == [])
    }

    @Test(arguments: [
        "struct P: Mine { struct Setings: PluginSettings {} }",
        "final class P: Base, Plugin { struct Setings: PluginSettings {} }",
        "struct P: Plugin { struct Setings: PluginSettings {} }\nextension P: Mine {}",
        "struct P: Plugin { struct Setings: PluginSettings {} }\nextension Plugin { typealias Settings = P.Setings }",
        "@Make struct P: Plugin { struct Setings: PluginSettings {} }",
        "struct P<T>: Plugin { struct Setings: PluginSettings {} }",
        "struct Q: Plugin { struct Setings: PluginSettings {} }",
    ])
    func `nothing is said of a type that may have more members than its braces show`(text: String) throws {
        #expect(try review([text]).mistakes == [])
        #expect(try review([text]).keepsState == nil)
    }

    @Test(
        arguments: [
            ("", false), ("struct State: Codable {}", true), ("typealias State = [String: Int]", true),
            ("typealias State = NoState", false), ("typealias State = GatehouseSDK.NoState", false),
            ("typealias State = Counts", true), ("enum Inner { struct State {} }", false),
            ("#if A\n struct State {}\n#endif", nil), ("#make", nil),
            ("static func f() {\n#if A\n#endif\n}", false),
        ] as [(String, Bool?)])
    func `whether it keeps state`(body: String, keepsState: Bool?) throws {
        #expect(try review(["struct P: Plugin { \(body) }"]).keepsState == keepsState)
    }

    @Test func `a state that an alias hides, and one in an extension`() throws {
        #expect(
            try review(["struct P: Plugin { typealias State = Kept }\ntypealias Kept = NoState"]).keepsState
                == nil)
        #expect(try review(["struct P: Mine {}", "extension P { struct State {} }"]).keepsState == true)
        #expect(try review(["enum Q { struct P: Plugin {} }"], principal: "Q.P").keepsState == false)
    }

    @Test(
        arguments: [
            ("Plugins/Counter", true), ("Plugins/CrashReports", true), ("Plugins/Logger", false),
            ("Plugins/Persistence", false), ("Plugins/Rules", false), ("Tests/Fixtures/Probe", true),
            ("Tests/Fixtures/Ending", false), ("Tests/Fixtures/Interceptor", true),
            ("Tests/Fixtures/Shapes", false), ("Examples/ExternalPlugin/Sources/GreeterPlugin", false),
        ] as [(String, Bool?)])
    func `the bundled plugins raise no alarm, and tell whether they keep state`(
        folder: String, keepsState: Bool?
    )
        throws
    {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") }
        let sources = try paths.map { path in
            SourceFile(path: path, content: Array(try Data(contentsOf: root.appending(path: path))))
        }
        let manifest = try PluginManifest(
            parsing: Array(try Data(contentsOf: root.appending(path: "plugin.json"))))
        let review = PrincipalReview(try #require(manifest.principal), in: try ModuleDeclarations(sources))
        #expect(review.mistakes == [])
        #expect(review.keepsState == keepsState)
    }
}
