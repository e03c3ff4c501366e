// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct ActionCycleTests {
    /// An instance that hears and emits global names.
    private func instance(_ id: String, hears: [String], emits: [String]) throws -> PlannedInstance {
        try PlanExample.instance(
            id, consumes: hears, emits: emits, lift: .init(input: .prefix(""), output: .prefix("")))
    }

    /// The cycles among instances, as messages name them.
    private func cycles(_ instances: [PlannedInstance]) -> [String] {
        ActionCycle.all(among: instances).map(\.description)
    }

    @Test func `two that answer each other are named once, the first in the chain first`() throws {
        #expect(
            cycles([
                try instance("a", hears: ["pong"], emits: ["ping"]),
                try instance("b", hears: ["ping"], emits: ["pong"]),
            ]) == ["a emits ping, heard by b, which emits pong, heard by a"])
    }

    @Test func `a longer way round is named in order, the shortest of several`() throws {
        #expect(
            cycles([
                try instance("z", hears: ["q"], emits: []),
                try instance("c", hears: ["2", "s"], emits: ["3"]),
                try instance("a", hears: ["3"], emits: ["1"]),
                try instance("b", hears: ["1"], emits: ["2", "t"]),
                try instance("d", hears: ["t"], emits: ["s"]),
            ]) == ["c emits 3, heard by a, which emits 1, heard by b, which emits 2, heard by c"])
    }

    @Test func `groups apart from each other are named apart`() throws {
        #expect(
            cycles([
                try instance("a", hears: ["a"], emits: ["b"]), try instance("c", hears: ["c"], emits: ["d"]),
                try instance("b", hears: ["b"], emits: ["a", "c"]),
                try instance("d", hears: ["d"], emits: ["c"]),
            ]) == [
                "a emits b, heard by b, which emits a, heard by a",
                "c emits d, heard by d, which emits c, heard by c",
            ])
    }

    @Test func `beginnings of names count where they meet`() throws {
        #expect(
            cycles([
                try instance("a", hears: ["y/*"], emits: ["x/*"]),
                try instance("b", hears: ["x/1"], emits: ["y/2/*"]),
            ]) == ["a emits x/1, heard by b, which emits y/2/*, heard by a"])
        #expect(
            cycles([
                try instance("a", hears: ["y/*"], emits: ["x/*"]),
                try instance("b", hears: ["x"], emits: ["y/"]),
            ]) == [])
    }

    @Test func `whoever hears by a pattern what it emits answers itself`() throws {
        #expect(
            cycles([
                try instance("a", hears: ["x/*"], emits: ["x/1"]),
                try instance("b", hears: ["y"], emits: ["z"]),
            ]) == ["a emits x/1, heard by itself"])
    }

    @Test func `whoever is lifted to hear what it emits by another name answers itself`() throws {
        let probe = try PlanExample.instance(
            "probe", consumes: ["ping"], emits: ["pong"],
            lift: .init(
                input: .map(try ConfigurationExample.nameMap(["probe/pong": "ping"])),
                output: .prefix("probe/")))
        #expect(cycles([probe]) == ["probe emits probe/pong, heard by itself"])
    }

    @Test func `hearing oneself by one's own name, and hearing or emitting everything, says nothing`() throws
    {
        #expect(
            cycles([
                try instance("a", hears: ["due"], emits: ["due"]),
                try instance("log", hears: ["*"], emits: ["x"]),
                try instance("rules", hears: ["x"], emits: ["*"]),
            ]) == [])
    }

    @Test func `a thousand instances in one circle are one cycle`() throws {
        let ring = try (0..<1_000).map {
            try instance("i\($0)", hears: ["t\($0)"], emits: ["t\(($0 + 1) % 1_000)"])
        }
        let found = ActionCycle.all(among: ring)
        #expect(found.map(\.steps.count) == [1_000])
    }
}
