// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct StateGateTests {
    /// A plugin with the slice of the tests.
    private struct Switches: Plugin {
        enum Action: PluginAction { case flip }
        struct State: Codable, Sendable { var sync = true }

        static func initialState(_ settings: NoSettings) -> State { State() }
        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> { .identity }
        static func middleware() -> Reader { .doNothing() }
    }

    @Test(
        arguments: [
            (true, .active), (false, .bypass), ("active", .active), ("bypass", .bypass), ("Active", .bypass),
            (1, .bypass),
            (nil, .bypass), ([], .bypass), (["on": true], .bypass),
        ] as [(Value, GateState)])
    func `true and active open it, everything else closes it`(value: Value, gate: GateState) throws {
        #expect(
            StateGate(try JSONPointer("/sync"), in: StateTree(plain: ["sync": value]), onFailure: { _ in })
                .position == gate)
    }

    @Test func `a place that is not there closes it`() throws {
        #expect(
            StateGate(try JSONPointer("/features/sync"), in: StateTree(plain: [:]), onFailure: { _ in })
                .position == .bypass)
    }

    @Test func `it sees a change of the plain state`() throws {
        let tree = StateTree(plain: ["sync": false])
        let gate = StateGate(try JSONPointer("/sync"), in: tree, onFailure: { _ in })
        #expect(gate.position == .bypass)
        #expect(tree.merge(["sync": true]) == nil)
        #expect(gate.position == .active)
        #expect(tree.merge(["sync": nil]) == nil)
        #expect(gate.position == .bypass)
    }

    @Test func `it sees a change inside a slice`() throws {
        let tree = StateTree(plain: [:])
        let slice = try PluginEntry.exports(of: Switches.self).makeParts(settings: [:]) { _ in }.slice
        tree.own(try JSONPointer("/switches"), slice, by: "switches")
        let gate = StateGate(try JSONPointer("/switches/sync"), in: tree, onFailure: { _ in })
        #expect(gate.position == .active)
        try slice.restore(["sync": false])
        #expect(gate.position == .bypass)
    }

    /// A plugin whose state can be written as JSON only while it is even.
    private struct Fragile: Plugin {
        enum Action: PluginAction { case add(Int) }
        struct State: Codable, Sendable {
            var number = 0

            func encode(to encoder: any Encoder) throws {
                guard number.isMultiple(of: 2) else {
                    throw CodingFailure(
                        at: encoder.codingPath, expected: "an even number", found: "\(number)")
                }
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(number == 0, forKey: .number)
            }

            init() {}

            init(from decoder: any Decoder) throws {}

            private enum CodingKeys: CodingKey { case number }
        }

        static func initialState(_ settings: NoSettings) -> State { State() }
        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
            .reduce { action, state in if case .add(let count) = action { state.number += count } }
        }
        static func middleware() -> Reader { .doNothing() }
    }

    @Test
    func `a state that cannot be written leaves the gate where it was, and is told once for each change`()
        throws
    {
        let parts = try PluginEntry.exports(of: Fragile.self).makeParts(settings: [:]) { _ in }
        var slice = parts.slice
        let tree = StateTree(plain: [:])
        tree.own(try JSONPointer("/fragile"), slice, by: "fragile")
        var failures: [String] = []
        let gate = StateGate(try JSONPointer("/fragile/number"), in: tree) { failures.append("\($0)") }
        let reducer = try #require(parts.reducer)
        let add = { (count: Value) in _ = reducer.apply(AnyAction("add", payload: count), &slice) }
        #expect(gate.position == .active)
        add(1)
        #expect(gate.position == .active)
        #expect(gate.position == .active)
        #expect(failures == ["the whole value: expected an even number, found 1"])
        add(1)
        #expect(gate.position == .bypass)
        add(1)
        #expect(gate.position == .bypass)
        add(2)
        #expect(gate.position == .bypass)
        #expect(failures.count == 3)
    }

    @Test func `the operator is told which gate stays where it is, and why`() throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let reports = Mutex<[HostReport]>([])
        let reporter = Reporter { report in reports.withLock { $0.append(report) } }
        let manifest = { (consumes: [String]) in
            PluginManifest(
                id: "linked", version: version, summary: "", principal: "Linked", consumes: consumes,
                emits: [])
        }
        let host = Host(
            try Assembly(
                linking: [
                    LinkedPlugin(
                        entry: InstanceConfiguration(id: "fragile"), manifest: manifest(["add"]),
                        exports: PluginEntry.exports(of: Fragile.self)),
                    LinkedPlugin(
                        entry: InstanceConfiguration(
                            id: "sync", gate: .state(try JSONPointer("/fragile/number"))),
                        manifest: manifest(["flip"]), exports: PluginEntry.exports(of: Switches.self)),
                ],
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { reporter.send($0) })),
            reports: reporter)
        host.dispatch(AnyAction("fragile/add", payload: 1), from: .here())
        host.dispatch(AnyAction("sync/flip"), from: .here())
        #expect(
            reports.withLock { $0 }.map(\.description) == [
                """
                sync: its gate follows the state at /fragile/number, which cannot be written as JSON: \
                the whole value: expected an even number, found 1; the gate stays as it is
                """
            ])
        #expect(reporter.badDataCount == 1)
    }
}
