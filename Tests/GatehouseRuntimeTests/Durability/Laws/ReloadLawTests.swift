// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime

/// What holds of reloads, crashes and starts, whatever the configurations are: with the real procedure, journal and recovery.
@Suite(.timeLimit(.minutes(10))) struct ReloadLawTests {
    /// A number of the environment, or its default.
    private static func number(_ name: String, or default: UInt64) -> UInt64 {
        guard let text = unsafe getenv(name) else { return `default` }
        return UInt64(unsafe String(cString: text)) ?? `default`
    }

    @Test
    func
        `a crash or an end changes nothing, a start does what a reload does, and what was tried in vain was never there`()
        async throws
    {
        let first = Self.number("SEED", or: 1)
        let count = Self.number("HOSTS", or: 20)
        var met = LawfulHost.Met()
        for seed in first..<first + count {
            let (difference, seen) = try await TestThread.value {
                var host = try LawfulHost(seed: seed)
                var difference: String?
                for _ in 0..<12 where difference == nil { difference = try host.step() }
                return (difference, host.met)
            }
            met += seen
            if let difference {
                Issue.record("seed \(seed): \(difference)")
                return
            }
        }
        // Hosts that never come to something would show nothing.
        #expect(count < 20 || met.lives > 20 && met.changes > 30 && met.trials > 10, "\(met)")
        #expect(count < 20 || met.effects > 20 && met.standings > 5 && met.midsts > 10, "\(met)")
    }

    @Test func `what was merged into the state after a reload that changes it outlives a crash`() async throws
    {
        let counter = #"{ "id": "a", "library": "libCounterPlugin.so" }"#
        let (old, new) = (#""state": { "n": 1 }, "#, #""state": { "n": 5 }, "#)
        try await TestThread.value {
            let first = try DurableHost(
                counter, libraries: ["CounterPlugin"], in: TemporaryFolder(), more: old)
            #expect(try first.reload(counter, more: new).isApplied)
            first.host.dispatch(AnyAction(HostActions.mergeState, payload: ["n": 7]), from: .here())
            let second = try DurableHost(
                counter, libraries: ["CounterPlugin"], in: first.crash(), more: new)
            #expect(try second.state["n"] == 7)
        }
    }

    @Test func `effects of an instance that a change removes begin again where the change is taken back`()
        async throws
    {
        let courier = #"{ "id": "courier", "library": "libCourierPlugin.so" }"#
        let failing =
            #"{ "id": "holding", "library": "libHoldingPlugin.so", "settings": { "file": "/nowhere/at/all" } }"#
        try await TestThread.value {
            let host = try DurableHost(
                courier, libraries: ["CourierPlugin", "HoldingPlugin"], in: TemporaryFolder(),
                discovery: "ignore")
            host.host.dispatch(
                AnyAction(ActionType("courier/send"), payload: ["id": "a", "parts": 2]), from: .here())
            let before = try LawfulHost.Standing(of: host)
            #expect(before.effects.count == 2)
            #expect(try !host.reload(failing, discovery: "ignore").isApplied)
            #expect(try LawfulHost.Standing(of: host) == before)
            #expect(host.host.store.dependencies.letters.list().isEmpty)
            // Where it stays, they are a dead letter each.
            #expect(try host.reload("", discovery: "ignore").isApplied)
            #expect(host.host.store.dependencies.letters.list().count == 2)
        }
    }
}
