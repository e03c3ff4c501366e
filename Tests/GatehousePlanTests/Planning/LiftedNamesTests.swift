// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct LiftedNamesTests {
    /// The names of an instance called `shop`.
    private func names(
        consumes: [String] = ["placed", "paid"], emits: [String] = ["shipped"], input: NameLift? = nil,
        output: NameLift? = nil, allow: [String]? = nil
    ) throws -> LiftedNames {
        let version = try #require(SemanticVersion("1.0.0"))
        return LiftedNames(
            instance: "shop",
            of: PluginDescription(
                PluginManifest(
                    id: "orders", version: version, summary: "", principal: "Orders", consumes: consumes,
                    emits: emits)),
            lift: LiftConfiguration(input: input, output: output),
            allow: try allow.map { try $0.map { try #require(TypePattern($0)) } })
    }

    /// A map of names.
    private func map(_ lines: [(String, String)]) throws -> NameLift {
        .map(
            NameMap(
                try lines.map {
                    NameMap.Entry(from: try #require(TypePattern($0.0)), to: try #require(TypePattern($0.1)))
                }))
    }

    @Test(
        arguments: [
            ("shop/placed", "placed"), ("shop/paid", "paid"), ("shop/shipped", nil), ("shop/", nil),
            ("placed", nil),
            ("shop/placed/twice", nil), ("workshop/placed", nil), ("orders/placed", nil),
        ] as [(String, String?)])
    func `by default an instance hears what its plugin consumes below its id`(global: String, local: String?)
        throws
    {
        #expect(try names().local(of: global) == local)
    }

    @Test(
        arguments: [
            ("orders/eu/placed", "placed"), ("orders/eu/shipped", nil), ("shop/placed", nil),
            ("orders/placed", nil),
        ] as [(String, String?)])
    func `a prefix takes the place of the id`(global: String, local: String?) throws {
        #expect(try names(input: .prefix("orders/eu/")).local(of: global) == local)
    }

    @Test(
        arguments: [
            ("checkout", "placed"), ("bank/paid", "paid"), ("bank/refused", nil), ("other", nil),
            ("shop/placed", nil),
            ("spare", nil),
        ] as [(String, String?)])
    func `a map names what is heard, and nothing the plugin does not consume`(global: String, local: String?)
        throws
    {
        let input = try map([("checkout", "placed"), ("bank/*", "*"), ("spare", "shipped")])
        #expect(try names(input: input).local(of: global) == local)
    }

    @Test(arguments: [
        ("anything/at/all", "anything/at/all"), ("host/gate/open", "host/gate/open"),
        ("shop/shipped", "shipped"),
        ("shop/placed", "shop/placed"),
    ])
    func `a plugin that consumes everything hears global names, its own outputs under its own`(
        global: String, local: String
    ) throws {
        #expect(try names(consumes: ["*"]).local(of: global) == local)
    }

    @Test func `a plugin that consumes everything hears what is below a given prefix, without it`() throws {
        let names = try names(consumes: ["*"], input: .prefix("orders/"))
        #expect(names.local(of: "orders/anything") == "anything")
        #expect(names.local(of: "orders/") == nil)
        #expect(names.local(of: "users/anything") == nil)
    }

    @Test func `an open name in the manifest covers what begins with it`() throws {
        let names = try names(consumes: ["paid-*"])
        #expect(names.local(of: "shop/paid-late") == "paid-late")
        #expect(names.local(of: "shop/paid") == nil)
    }

    @Test func `names that only look the same are not heard`() throws {
        let names = try names(consumes: ["\u{E9}t\u{E9}"], input: .prefix("caf\u{E9}/"))
        #expect(names.local(of: "caf\u{E9}/\u{E9}t\u{E9}") == "\u{E9}t\u{E9}")
        #expect(names.local(of: "cafe\u{301}/\u{E9}t\u{E9}") == nil)
        #expect(names.local(of: "caf\u{E9}/e\u{301}te\u{301}") == nil)
    }

    @Test func `a name that begins with a mark of its own is heard below its prefix`() throws {
        // Joined, the slash and the mark are one character; the prefix is still what the name begins with.
        let names = try names(consumes: ["\u{301}x"], emits: ["\u{301}x"])
        #expect(names.global(of: "\u{301}x") == "shop/\u{301}x")
        #expect(names.local(of: "shop/\u{301}x") == "\u{301}x")
    }

    @Test func `outputs get the default prefix, the given one, or the mapped name`() throws {
        #expect(try names().global(of: "shipped") == "shop/shipped")
        #expect(try names(output: .prefix("orders/eu/")).global(of: "shipped") == "orders/eu/shipped")
        let output = try map([("shipped", "parcels/out")])
        #expect(try names(output: output).global(of: "shipped") == "parcels/out")
        #expect(try names(output: output).global(of: "lost") == nil)
    }

    @Test func `a plugin that emits anything emits undeclared names as they are`() throws {
        let names = try names(emits: ["*", "shipped"])
        #expect(names.global(of: "shipped") == "shop/shipped")
        #expect(names.global(of: "alerts/raised") == "alerts/raised")
        #expect(names.mayEmit("alerts/raised", as: "alerts/raised"))
    }

    @Test func `without allow an instance may emit what its manifest declares, below host nothing`() throws {
        let names = try names(emits: ["shipped", "host/*"])
        #expect(names.mayEmit("shipped", as: "shop/shipped"))
        #expect(names.mayEmit("shipped", as: "host/gate/open") == false)
        #expect(names.mayEmit("host/gate/open", as: "host/gate/open") == false)
        #expect(names.mayEmit("secret", as: "shop/secret") == false)
    }

    @Test
    func `allow decides alone about global names, and grants host actions only when it spells them out`()
        throws
    {
        let names = try names(allow: ["shop/*", "*"])
        #expect(names.mayEmit("secret", as: "shop/secret"))
        #expect(names.mayEmit("anything", as: "parcels/out"))
        #expect(names.mayEmit("anything", as: "host/gate/open") == false)
        let granted = try self.names(allow: ["host/gate/*"])
        #expect(granted.mayEmit("anything", as: "host/gate/open"))
        #expect(granted.mayEmit("anything", as: "host/state/merge") == false)
        #expect(granted.mayEmit("shipped", as: "shop/shipped") == false)
    }

    @Test func `a lifted name is heard back under its own local name`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let prefix =
                String(
                    (0..<Int.random(in: 1...5, using: &generator)).map { _ in
                        "abc/é".randomElement(using: &generator) ?? "a"
                    }) + "/"
            let names = try names(
                consumes: ["placed"], emits: ["placed"], input: .prefix(prefix), output: .prefix(prefix))
            let global = try #require(names.global(of: "placed"))
            #expect(names.local(of: global) == "placed", "seed \(seed), prefix \(prefix)")
        }
    }

    // MARK: - What settings name in place of everything

    /// The names of an instance called `rules` that hears and emits what its settings say, beside `tick`.
    private func narrowed(
        _ settings: Value, input: NameLift? = nil, output: NameLift? = nil
    ) throws -> LiftedNames {
        let version = try #require(SemanticVersion("1.0.0"))
        let rule: Value = [
            "properties": ["when": ["x-action": "hears"], "emit": ["x-action": "emits"]]
        ]
        var manifest = PluginManifest(
            id: "rules", version: version, summary: "", principal: "Rules", consumes: ["*", "tick"],
            emits: ["*", "tick"], settings: ["properties": ["rules": ["items": rule, "default": []]]])
        manifest.narrows = [.consumes, .emits]
        return LiftedNames(
            instance: "rules", of: PluginDescription(manifest), settings: settings,
            lift: LiftConfiguration(input: input, output: output), allow: nil)
    }

    @Test func `an instance hears what its settings name, and what it says to itself`() throws {
        let names = try narrowed(["rules": [["when": "shop/*", "emit": "mail/send"]]])
        #expect(names.local(of: "shop/paid") == "shop/paid")
        #expect(names.local(of: "rules/tick") == "tick")
        #expect(names.local(of: "mail/send") == nil)
        #expect(names.heard.map(\.global.description) == ["shop/*", "rules/tick"])
        #expect(names.emitted.map(\.description) == ["mail/send", "rules/tick"])
        #expect(names.mayEmit("mail/send", as: "mail/send"))
        #expect(!names.mayEmit("mail/other", as: "mail/other"))
        #expect(
            names.refusal(of: "mail/other")
                == "neither its settings nor \"emits\" in its plugin.json name it; name it in \"allow\"")
    }

    @Test func `settings name what a lift gives, and without any nothing is heard`() throws {
        let names = try narrowed(
            ["rules": [["when": "paid", "emit": "sent"]]], input: .prefix("shop/"), output: .prefix("mail/"))
        #expect(names.local(of: "shop/paid") == "paid")
        #expect(names.local(of: "shop/placed") == nil)
        #expect(names.heard.map(\.global.description) == ["shop/paid", "shop/tick"])
        #expect(names.emitted.map(\.description) == ["mail/sent", "mail/tick"])
        let silent = try narrowed([:])
        #expect(silent.local(of: "shop/paid") == nil)
        #expect(silent.heard.map(\.global.description) == ["rules/tick"])
        #expect(silent.withoutSettings.heard.map(\.global.description) == ["*", "rules/tick"])
    }
}
