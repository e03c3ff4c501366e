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

    @Test(
        arguments: [
            (true, .active), (false, .bypass), ("active", .active), ("bypass", .bypass), ("Active", .bypass),
            (1, .bypass),
            (nil, .bypass), ([], .bypass), (["on": true], .bypass),
        ] as [(Value, GateState)])
    func `true and active open it, everything else closes it`(value: Value, gate: GateState) throws {
        #expect(StateGate(try JSONPointer("/sync"), in: StateTree(plain: ["sync": value])).position == gate)
    }

    @Test func `a place that is not there closes it`() throws {
        #expect(StateGate(try JSONPointer("/features/sync"), in: StateTree(plain: [:])).position == .bypass)
    }

    @Test func `it sees a change of the plain state`() throws {
        let tree = StateTree(plain: ["sync": false])
        let gate = StateGate(try JSONPointer("/sync"), in: tree)
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
        let gate = StateGate(try JSONPointer("/switches/sync"), in: tree)
        #expect(gate.position == .active)
        try slice.restore(["sync": false])
        #expect(gate.position == .bypass)
    }
}
