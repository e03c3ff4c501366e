// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct LiftedNamesDeclaredTests {
    /// What an instance hears, as `global` or `global as local`.
    private func heard(_ instance: PlannedInstance) -> [String] {
        instance.heard.map { $0.global == $0.local ? $0.global : "\($0.global) as \($0.local)" }
    }

    @Test func `what is heard stands below the id, below the prefix, or under the names of the map`() throws {
        let consumes = ["placed", "paid-*"]
        #expect(
            heard(try PlanExample.instance("shop", consumes: consumes))
                == ["shop/placed as placed", "shop/paid-* as paid-*"])
        #expect(
            heard(try PlanExample.instance("shop", consumes: consumes, lift: .init(input: .prefix("eu/"))))
                == ["eu/placed as placed", "eu/paid-* as paid-*"])
        let map = try PlanExample.map([
            "in/*": "*", "bank/late": "paid-late", "x/*": "paid-eu-*", "y": "lost",
        ])
        #expect(
            heard(try PlanExample.instance("shop", consumes: consumes, lift: .init(input: map)))
                == [
                    "in/placed as placed", "in/paid-* as paid-*", "bank/late as paid-late",
                    "x/* as paid-eu-*",
                ])
    }

    @Test func `a plugin that consumes everything hears everything, and its own names as its own`() throws {
        #expect(
            heard(try PlanExample.instance("log", consumes: ["*", "clear"], emits: ["done"]))
                == ["*", "log/clear as clear", "log/done as done"])
        #expect(
            heard(try PlanExample.instance("log", consumes: ["*"], lift: .init(input: .prefix("eu/"))))
                == ["eu/* as *"])
    }

    @Test func `what is emitted is what is declared, lifted and allowed`() throws {
        let emits = ["placed", "paid-*"]
        #expect(try PlanExample.instance("shop", emits: emits).emitted == ["shop/placed", "shop/paid-*"])
        #expect(
            try PlanExample.instance("shop", emits: emits, lift: .init(output: .prefix("eu/"))).emitted
                == ["eu/placed", "eu/paid-*"])
        let map = try PlanExample.map(["placed": "new", "paid-*": "money/*", "lost": "lost"])
        #expect(
            try PlanExample.instance("shop", emits: emits, lift: .init(output: map)).emitted
                == ["new", "money/*"])
        #expect(
            try PlanExample.instance("shop", emits: emits, allow: ["shop/paid-late", "other"]).emitted
                == ["shop/paid-late"])
        #expect(
            try PlanExample.instance("r", emits: ["*"], allow: ["ship/*", "host/gate/*"]).emitted
                == ["ship/*", "host/gate/*"])
        #expect(try PlanExample.instance("r", emits: ["*"]).emitted == ["*"])
        #expect(
            try PlanExample.instance("r", emits: ["*"], allow: ["*"]).names.emits("host/gate/open") == false)
    }

    /// A manifest and a lift drawn from few names, so that they meet.
    private func draw(_ random: inout SeededGenerator) throws -> PlannedInstance {
        let locals = ["a", "b", "ab", "a*", "ab*", "*"]
        let globals = ["s/a", "s/ab", "s/*", "t/*", "t/a", "*"]
        func some(_ names: [String]) -> [String] { names.filter { _ in Bool.random(using: &random) } }
        func lift(_ from: [String], _ to: [String]) throws -> NameLift? {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return nil
            case 1: return .prefix(["s/", "t/", ""].randomElement(using: &random) ?? "")
            default:
                let entries = try some(from).map { name in
                    let open = name.hasSuffix("*")
                    let target = to.filter { open || !$0.hasSuffix("*") }.randomElement(using: &random)
                    let pattern = try #require(TypePattern(name))
                    return NameMap.Entry(from: pattern, to: try #require(target.flatMap { TypePattern($0) }))
                }
                return .map(NameMap(entries))
            }
        }
        return try PlanExample.instance(
            "s", consumes: some(locals), emits: some(locals),
            lift: .init(input: try lift(globals, locals), output: try lift(locals, globals)),
            allow: Bool.random(using: &random) ? some(globals + ["host/*"]) : nil)
    }

    @Test(arguments: 1...60)
    func `nothing is heard or emitted that is not listed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            let instance = try draw(&random)
            let names = instance.names
            for type in ["s/a", "s/b", "s/ab", "s/abc", "t/a", "t/zz", "a", "q", "host/gate/open", "s/"] {
                if names.local(of: type) != nil {
                    #expect(names.heard.contains { $0.global.covers(type) }, "seed \(seed), \(type)")
                }
            }
            for local in ["a", "b", "ab", "abc", "zz", "s/a"]
            where names.emits.contains(where: { $0.covers(local) }) {
                guard let global = names.global(of: local), names.mayEmit(local, as: global) else { continue }
                #expect(names.emits(global), "seed \(seed), \(local) as \(global)")
            }
        }
    }

    @Test(arguments: [
        ("clock/tick", true), ("clock/missed", false), ("clock/other", false), ("orders/placed", false),
        ("tick", false),
    ])
    func `an own action is declared by name and heard`(type: String, isOwn: Bool) throws {
        let names = try PlanExample.instance("clock", consumes: ["tick"], emits: ["*", "tick", "missed"])
            .names
        #expect(names.isOwn(type) == isOwn)
    }

    @Test func `whoever hears everything has as own what it emits by name`() throws {
        let all = try PlanExample.instance("all", consumes: ["*"], emits: ["*", "due"]).names
        #expect(["all/due", "all/other", "orders/placed"].map(all.isOwn) == [true, false, false])
    }
}
