// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Testing

@testable import GatehouseManifest

@Suite(.timeLimit(.minutes(10))) struct ActionEnumTests {
    /// What is found in files with these texts, for the principal `P`.
    private func find(_ texts: String..., principal: String = "P") throws -> ActionEnum? {
        try ActionEnum.find(
            in: principal,
            module: ModuleDeclarations(
                texts.enumerated().map { SourceFile(path: "\($0).swift", content: Array($1.utf8)) }))
    }

    /// The enum as `path: name(labels) …`.
    private func description(_ texts: String..., principal: String = "P") throws -> String {
        let actions = try #require(
            try ActionEnum.find(
                in: principal,
                module: ModuleDeclarations(
                    texts.map { SourceFile(path: "a.swift", content: Array($0.utf8)) })))
        let cases = actions.cases.map { one in
            one.labels.isEmpty ? one.name : "\(one.name)(\(one.keys.joined(separator: " ")))"
        }
        return "\(actions.path.joined(separator: ".")): \(cases.joined(separator: " "))"
    }

    /// The clause with which an enum is left to `Codable`.
    private func reason(_ texts: String..., principal: String = "P") -> String? {
        do {
            _ = try ActionEnum.find(
                in: principal,
                module: ModuleDeclarations(
                    texts.map { SourceFile(path: "a.swift", content: Array($0.utf8)) }))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        ("struct P: Plugin { enum Action: PluginAction { case a, b(by: Int) } }", "P.Action: a b(by)"),
        (
            "struct P { enum Action { case a, b; var isError: Bool { if case .b = self { true } else { false } } } }",
            "P.Action: a b"
        ),
        ("struct P {}\nextension P { enum Action: PluginAction { case a } }", "P.Action: a"),
        ("struct P { typealias Action = A }\nenum A: Codable, PluginAction { case a }", "A: a"),
        ("struct P { typealias Action = A; enum A: PluginAction { case a } }", "P.A: a"),
        ("struct P { typealias Action = Q.A }\nenum Q {}\nextension Q { enum A { case a } }", "Q.A: a"),
        ("struct P { indirect enum Action: PluginAction { indirect case a(Action?) } }", "P.Action: a(_0)"),
        (
            "struct P { enum Action { case a(Int, Int), b(Int, c: Int), d(_ x: Int) } }",
            "P.Action: a(_0 _1) b(_0 c) d(_0)"
        ),
        ("struct P { enum Action { case a(x: [String: Int], y: (Int)) } }", "P.Action: a(x y)"),
        ("struct P { enum Action { case a(x: Dictionary<String, Int>, Set<Int>) } }", "P.Action: a(x _1)"),
        (
            "struct P { enum Action { case a(x: Int = max(1, 2), y: String = \"}, z: \") } }",
            "P.Action: a(x y)"
        ),
        ("struct P { enum Action { case `default`(`in`: Int); case `b` } }", "P.Action: default(in) b"),
        ("struct P { enum Action { /* case x */ case a // , b\n case c\n } }", "P.Action: a c"),
        (
            "struct P { enum Action { case a; var b: Int { switch self { case .a: 1 } }; case c } }",
            "P.Action: a c"
        ),
        ("struct P { enum Action { case a; enum Inner { case x }; func f(case: Int) {} } }", "P.Action: a"),
        (
            "struct P { let t = \"{ \\(\"{\") enum Action { case x }\"; enum Action { case a } }",
            "P.Action: a"
        ),
        ("import struct Foo.Bar\nstruct P { enum Action { case a } }", "P.Action: a"),
        ("final class P { class var x: Int { 1 }; enum Action: Hashable & Sendable { case a } }", nil),
        ("public struct P { public enum Action: PluginAction { case a } }", "P.Action: a"),
        ("struct P { enum Action { case a }\n#if DEBUG\n func f() {}\n#endif\n}", "P.Action: a"),
        (
            "struct P { enum Action { case a } }\nextension P.Action: CustomStringConvertible { init(_ x: Int) {} }",
            "P.Action: a"
        ),
        ("struct P { enum Action { case a(x: Int, y: Int); static func a(x: Int) {} } }", "P.Action: a(x y)"),
        (
            "struct P { enum Action { case a } }\nstruct Q { init(from: Int) {}; func encoded() {} }",
            "P.Action: a"
        ),
    ])
    func `cases are read with the keys of their values`(source: String, expected: String?) throws {
        guard let expected else {
            #expect(reason(source) != nil)
            return
        }
        #expect(try description(source) == expected)
    }

    @Test(arguments: [
        ("struct P {}", "P.Action is not found"),
        (
            "struct P { enum Action { case a } }\nextension P { enum Action { case a } }",
            "P.Action is declared 2 times"
        ),
        ("#if A\nstruct P { enum Action { case a } }\n#endif", "P.Action stands inside #if"),
        ("struct P {\n#if A\n enum Action { case a }\n#else\n#endif\n}", "P.Action stands inside #if"),
        ("struct P { enum Action { case a\n#if A\n case b\n#endif\n } }", "P.Action holds #if"),
        ("struct P { enum Action { #cases } }", "P.Action holds #cases"),
        ("struct P { private enum Action { case a } }", "P.Action is private"),
        ("fileprivate extension P { enum Action { case a } }", "P.Action is fileprivate"),
        ("struct P { package enum Action { case a } }", "P.Action is package"),
        ("struct P { enum Action<T> { case a } }", "P.Action is generic"),
        ("struct P<T> { enum Action { case a } }", "P.Action is generic"),
        ("struct P { @Coded enum Action { case a } }", "P.Action has the attribute @Coded"),
        ("@Made(by: 1) struct P { enum Action { case a } }", "P.Action has the attribute @Made"),
        (
            "struct P { enum Action { @available(*, deprecated) case a } }",
            "P.Action holds the attribute @available"
        ),
        ("struct P { struct Action { } }", "P.Action is no enum"),
        ("struct P { enum Action { } }", "P.Action has no cases, or two of one name"),
        (
            "struct P { enum Action { case a(x: Int), a(y: Int) } }",
            "P.Action has no cases, or two of one name"
        ),
        (
            "struct P { enum Action: String, PluginAction { case a } }",
            "P.Action conforms to String, which may code it"
        ),
        ("struct P { enum Action: String { case a = \"b\" } }", "P.Action has raw values"),
        ("struct P { enum Action: Mine { case a } }", "P.Action conforms to Mine, which may code it"),
        (
            "struct P { enum Action { case a } }\nextension P.Action: Mine {}",
            "P.Action conforms to Mine, which may code it"
        ),
        (
            "struct P { enum Action { case a; enum CodingKeys: CodingKey { case a } } }",
            "P.Action may have its own CodingKeys"
        ),
        (
            "struct P { enum Action { case a(Int); enum ACodingKeys: CodingKey {} } }",
            "P.Action may have its own ACodingKeys"
        ),
        (
            "struct P { enum Action { case a; init<D: Swift.Decoder>(from decoder: D) {} } }",
            "P.Action may have its own init(from:)"
        ),
        (
            "struct P { enum Action { case a; init(from decoder: any Decoder) {} } }",
            "P.Action may have its own init(from:)"
        ),
        (
            "struct P { enum Action { case a } }\nextension P.Action { func encode(to: any Encoder) {} }",
            "P.Action may have its own encode"
        ),
        (
            "struct P { enum Action { case a } }\ntypealias Q = P.Action\nextension Q { func encoded() {} }",
            "P.Action may have its own encoded"
        ),
        (
            "struct P { enum Action { case a } }\nextension PluginAction { init(name: String, payload: Int) {} }",
            "P.Action may have its own init(name:)"
        ),
        ("struct P { enum Action { case a; init?(type: Int) {} } }", "P.Action may have its own init(type:)"),
        (
            "struct P { enum Action { case a; var encodedName: Int { 1 } } }",
            "P.Action may have its own encodedName"
        ),
        (
            "struct P { enum Action { case a(x: Int); static func a(x: String) {} } }",
            "P.Action has a function that reads like the case a"
        ),
        (
            "struct P { enum Action { case a(x: Int); static func a(_ y: Int = 1, x: String) {} } }",
            "P.Action has a function that reads like the case a"
        ),
        ("struct P { enum Action { case é } }", "P.Action has the case é, whose name is not simple"),
        (
            "struct P { enum Action { case `two words` } }",
            "P.Action has the case `two words`, whose name is not simple"
        ),
        (
            "struct P { enum Action { case `self` } }",
            "P.Action has the case `self`, whose name is not simple"
        ),
        (
            "struct P { enum Action { case a(é: Int) } }",
            "P.Action has the case a with the label é, which is not simple"
        ),
        (
            "struct P { enum Action { case a(x y: Int) } }",
            "P.Action has the case a with a value of two labels"
        ),
        (
            "struct P { enum Action { case a(x: Int, x: Int) } }",
            "P.Action has the case a with two labels of one name"
        ),
        (
            "struct P { enum Action { case a(x: Bool = 1 < 2, y: Bool = 2 > 1) } }",
            "P.Action has the case a with a value that is not simple"
        ),
        (
            "struct P { enum Action { case a(x: @Sendable () -> Void) } }",
            "P.Action has the case a with a value that is not simple"
        ),
        ("struct P { enum Action { case a() } }", "P.Action has the case a with a value that is not simple"),
        (
            "struct P { typealias Action = Other.Thing }",
            "P.Action is a type alias of something else than one enum of the same module"
        ),
        (
            "struct P { typealias Action = [A] }",
            "P.Action is a type alias of something else than one enum of the same module"
        ),
        (
            "struct P { typealias Action = A; enum A { case a } }\nenum A { case a }",
            "P.Action is a type alias of something else than one enum of the same module"
        ),
        (
            "struct P { typealias Action = AnyAction }\nstruct AnyAction {}", "AnyAction is no enum"
        ),
        (
            "struct P { enum Action { case a } }\nenum Swift {}",
            "P.Action would be coded in terms of Swift, which the module declares itself"
        ),
        ("struct P { enum Action { case a }", "a.swift is not understood"),
        ("struct P { enum Action { case a } } }", "a.swift is not understood"),
        ("struct P { let r = /}\"/; enum Action { case a } }", "a.swift is not understood"),
    ])
    func `what is not surely understood is left to Codable with a reason`(source: String, expected: String) {
        #expect(reason(source) == expected)
    }

    @Test(arguments: ["AnyAction", "GatehouseSDK.AnyAction"])
    func `a plugin that hears everything needs no code`(alias: String) throws {
        #expect(try find("struct P { typealias Action = \(alias) }") == nil)
    }

    @Test func `the enum may stand in another file than the principal`() throws {
        let actions = try find("struct P: Plugin {}", "extension P { enum Action: PluginAction { case a } }")
        #expect(actions?.path == ["P", "Action"])
    }

    @Test func `the principal may be nested`() throws {
        let source = "enum Outer { struct P { typealias Action = A }; enum A { case a } }"
        #expect(try description(source, principal: "Outer.P") == "Outer.A: a")
    }

    @Test func `what other modules see is coded for them`() throws {
        #expect(try find("public struct P { public enum Action { case a } }")?.isPublic == true)
        #expect(
            try find("public struct P {}\npublic extension P { enum Action { case a } }")?.isPublic == true)
        #expect(try find("struct P { public enum Action { case a } }")?.isPublic == false)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `no damaged source traps`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let source = Array(
            "@A struct P: Q<R> { enum Action: S { case `a`(x: [B: C] = d, e), f; #if g } } // \"\\(h)\"".utf8)
        for _ in 0..<2_000 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = source[Int.random(in: 0..<source.count, using: &random)]
                default: bytes.insert(source[Int.random(in: 0..<source.count, using: &random)], at: index)
                }
            }
            guard let module = try? ModuleDeclarations([SourceFile(path: "a.swift", content: bytes)]) else {
                continue
            }
            _ = try? ActionEnum.find(in: "P", module: module)
            _ = PrincipalReview("P", in: module)
        }
    }
}
