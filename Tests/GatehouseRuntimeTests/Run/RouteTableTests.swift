// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct RouteTableTests {
    /// A plugin that is linked into the tests.
    private struct Linked: Plugin {
        enum Action: PluginAction { case tick, tock }
        static func middleware() -> Reader { .doNothing() }
    }

    /// An instance of the linked plugin.
    private func instance(
        _ id: String, consumes: [String] = ["tick"], input: String? = nil, gate: GateConfiguration = .active
    ) throws -> Instance {
        let version = try #require(SemanticVersion("1.0.0"))
        return try Instance(
            PlannedInstance(
                InstanceConfiguration(
                    id: id, lift: LiftConfiguration(input: input.map { .prefix($0) }), gate: gate),
                manifest: PluginManifest(
                    id: "linked", version: version, summary: "", principal: "Linked", consumes: consumes,
                    emits: [])),
            exports: PluginEntry.exports(of: Linked.self),
            tree: StateTree(plain: [:]),
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { _ in }))
    }

    /// The routes of a chain.
    private func table(_ instances: [Instance]) -> RouteTable { RouteTable(instances.map { ChainLink($0) }) }

    /// A route as text: ids in order, each with the local name.
    private func stops(_ table: RouteTable, _ type: String) -> [String] {
        unsafe table.route(for: ActionType(type)).stops.map {
            "\($0.instance.id): \($0.local?.name ?? "gate only")"
        }
    }

    @Test func `a route holds the instances that hear the type, in chain order, by their local names`() throws
    {
        let table = self.table([
            try instance("b", input: "shared/"), try instance("a", input: "shared/"),
            try instance("all", consumes: ["*"]), try instance("own"),
        ])
        #expect(stops(table, "shared/tick") == ["b: tick", "a: tick", "all: shared/tick"])
        #expect(stops(table, "own/tick") == ["all: own/tick", "own: tick"])
        #expect(stops(table, "shared/tock") == ["all: shared/tock"])
    }

    @Test func `nobody is concerned by a type that nobody hears`() throws {
        let table = self.table([try instance("a"), try instance("b")])
        #expect(unsafe table.route(for: "c/tick").stops.isEmpty)
    }

    @Test func `a control action concerns the gate of an instance that does not hear it`() throws {
        let control = GateConfiguration.action(
            control: "app/sync", at: .whole, turnOn: true, turnOff: false, default: .bypass)
        let table = self.table([try instance("a", gate: control), try instance("b")])
        #expect(stops(table, "app/sync") == ["a: gate only"])
    }

    @Test func `host gate actions concern every gate but those that follow the state`() throws {
        let table = self.table([
            try instance("a"), try instance("b", gate: .state(try JSONPointer("/on"))),
            try instance("c", gate: .bypass),
        ])
        #expect(stops(table, "host/gate/open") == ["a: gate only", "c: gate only"])
        #expect(stops(table, "host/gate/close") == ["a: gate only", "c: gate only"])
    }

    @Test func `asking again gives the same route`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let instances = try (0..<20).map { number in
            try instance("i\(number)", input: "g\(Int.random(in: 0..<4, using: &generator))/")
        }
        let table = self.table(instances)
        let types = (0..<40).map { _ in "g\(Int.random(in: 0..<6, using: &generator))/tick" }
        for type in types {
            let expected = instances.filter { $0.planned.names.local(of: type) != nil }.map {
                "\($0.id): tick"
            }
            #expect(stops(table, type) == expected, "seed \(seed)")
            #expect(stops(table, type) == expected, "seed \(seed)")
        }
    }
}
