// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime

/// What holds of reloads, crashes and starts, whatever the configurations are: with the real procedure, journal and recovery.
@Suite(.timeLimit(.minutes(40))) struct ReloadLawTests {
    /// A number of the environment, or its default.
    private static func number(_ name: String, or default: UInt64) -> UInt64 {
        guard let text = unsafe getenv(name) else { return `default` }
        return UInt64(unsafe String(cString: text)) ?? `default`
    }

    /// Lets hosts come to random configurations, as many as the environment says; gives what they met, nil where they are too few to show
    /// anything or a law does not hold.
    ///
    /// - Parameters:
    ///   - isInWorkers: whether instances run in workers, too; of more than 80 hosts only a quarter do, because processes take time to
    ///     start.
    ///   - isOnDisk: whether the power fails, too.
    private static func meet(inWorkers isInWorkers: Bool = false, onDisk isOnDisk: Bool = false) async throws
        -> LawfulHost.Met?
    {
        let first = number("SEED", or: 1)
        let hosts = number("HOSTS", or: 20)
        let count = isInWorkers ? max(min(hosts, 20), hosts / 4) : hosts
        var met = LawfulHost.Met()
        let cache = try TemporaryFolder()
        for seed in first..<first + count {
            let (difference, seen) = try await TestThread.value {
                var host = try LawfulHost(
                    seed: seed, inWorkers: isInWorkers, onDisk: isOnDisk, sharing: cache)
                var difference: String?
                for _ in 0..<12 where difference == nil { difference = try host.step() }
                try host.finish()
                return (difference, host.met)
            }
            met += seen
            if let difference {
                Issue.record("seed \(seed): \(difference)")
                return nil
            }
        }
        return count < 20 ? nil : met
    }

    @Test
    func
        `a crash or an end changes nothing, a start does what a reload does, and what was tried in vain was never there`()
        async throws
    {
        guard let met = try await Self.meet() else { return }
        // Hosts that never come to something would show nothing.
        #expect(met.lives > 20 && met.changes > 30 && met.trials > 10, "\(met)")
        #expect(met.effects > 20 && met.standings > 5 && met.midsts > 10, "\(met)")
    }

    @Test func `the same holds with workers, which are killed meanwhile`() async throws {
        guard let met = try await Self.meet(inWorkers: true) else { return }
        #expect(met.lives > 15 && met.changes > 20 && met.trials > 5, "\(met)")
        #expect(met.effects > 20 && met.standings > 2 && met.midsts > 2 && met.kills > 10, "\(met)")
    }

    @Test func `the same holds where the power fails in any step of a reload or an action`() async throws {
        guard let met = try await Self.meet(onDisk: true) else { return }
        #expect(met.lives > 20 && met.changes > 30 && met.trials > 10, "\(met)")
        #expect(met.effects > 20 && met.standings > 5 && met.midsts > 10 && met.failures > 20, "\(met)")
    }

    @Test
    func `effects that a gate ends in a worker do not begin again after a crash before the worker knows`()
        async throws
    {
        let courier = #"{ "id": "courier", "library": "libCourierPlugin.so", "placement": "worker" }"#
        try await TestThread.value {
            let first = try DurableHost(courier, libraries: ["CourierPlugin"], in: TemporaryFolder())
            let send = { (id: Value, host: DurableHost) in
                host.host.dispatch(
                    AnyAction(ActionType("courier/send"), payload: ["id": id, "parts": 2]), from: .here())
            }
            send("a", first)
            #expect(try LawfulHost.Standing(of: first).effects.count == 2)
            let worker = try #require(
                first.host.turn { $0.instances.first?.worker?.standing.process })
            #expect(kill(worker, SIGSTOP) == 0)
            // Of this one nobody knows what the worker has begun.
            send("b", first)
            for type in [HostActions.closeGate, HostActions.openGate] {
                first.host.dispatch(AnyAction(type, payload: "courier"), from: .here())
            }
            send("c", first)
            let left = try first.crash()
            kill(worker, SIGCONT)
            let reached = try LawfulHost.Standing(of: first)
            #expect(reached.effects.map(\.ordinal).sorted() == [0, 1])
            try first.end()
            let second = try DurableHost(courier, libraries: ["CourierPlugin"], in: left)
            second.host.admission.finishLeftWork(of: second.host)
            #expect(try LawfulHost.Standing(of: second) == reached)
            try second.end()
        }
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
