// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseHost

@Suite struct StateGateTests {
    /// A plugin with the slice of the tests.
    private struct Switches: Plugin {
        enum Action: PluginAction { case flip }
        struct State: Codable, Sendable { var sync = true }

        static func initialState(_ settings: NoSettings) -> State { State() }
        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> { .identity }
        static func middleware() -> Reader { .doNothing() }
    }

    private func host(_ plain: Value) -> HostState {
        HostState(tree: StateTree(plain: plain), generation: Generation(instances: []), window: StateWindow())
    }

    @Test(
        arguments: [
            (true, .active), (false, .bypass), ("active", .active), ("bypass", .bypass), ("Active", .bypass),
            (1, .bypass),
            (nil, .bypass), ([], .bypass), (["on": true], .bypass),
        ] as [(Value, GateState)])
    func `true and active open it, everything else closes it`(value: Value, gate: GateState) throws {
        #expect(StateGate(try JSONPointer("/sync"))(host(["sync": value])) == gate)
    }

    @Test func `a place that is not there closes it`() throws {
        #expect(StateGate(try JSONPointer("/features/sync"))(host([:])) == .bypass)
    }

    @Test func `it sees a change of the plain state`() throws {
        let host = host(["sync": false])
        let gate = StateGate(try JSONPointer("/sync"))
        #expect(gate(host) == .bypass)
        #expect(host.tree.merge(["sync": true]) == nil)
        #expect(gate(host) == .active)
        #expect(host.tree.merge(["sync": nil]) == nil)
        #expect(gate(host) == .bypass)
    }

    @Test func `it sees a change inside a slice`() throws {
        let host = host([:])
        let slice = try PluginEntry.exports(of: Switches.self).makeParts(settings: [:]) { _, _ in }.slice
        host.tree.own(try JSONPointer("/switches"), slice, by: "switches")
        let gate = StateGate(try JSONPointer("/switches/sync"))
        #expect(gate(host) == .active)
        try slice.restore(["sync": false])
        #expect(gate(host) == .bypass)
    }
}
