// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatehouseManifest
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// How much may wait in a host.
@Suite(.timeLimit(.minutes(5)))
struct WaitingTests {
    /// Emits many actions from another thread, and keeps the host busy meanwhile.
    private struct Flood: Plugin {
        enum Action: PluginAction { case begin, busy, drop }

        static let sent = Atomic<Int>(0)
        static let seen = Atomic<Int>(0)
        static let isBusy = DispatchSemaphore(value: 0)

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                switch action {
                case .begin:
                    return .start { _, output in
                        Thread.detachNewThread {
                            isBusy.wait()
                            for _ in 0..<50 {
                                output.send(.drop)
                                sent.add(1, ordering: .relaxed)
                            }
                            output.finish()
                        }
                    }
                case .busy:
                    isBusy.signal()
                    while sent.load(ordering: .relaxed) < 10 { sched_yield() }
                    // Long enough for one that is not held back; counted in yields it takes minutes on a busy machine.
                    let end = ContinuousClock.now.advanced(by: .milliseconds(50))
                    while ContinuousClock.now < end { sched_yield() }
                    seen.store(sent.load(ordering: .relaxed), ordering: .relaxed)
                case .drop: break
                }
                return .doNothing
            }
        }
    }

    @Test func `an effect that emits is held back by the limit of the configuration`() throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "flood"),
            manifest: PluginManifest(
                id: "flood", version: version, summary: "", principal: "Flood",
                consumes: ["begin", "busy", "drop"], emits: ["drop"]),
            exports: PluginEntry.exports(of: Flood.self))
        let host = Host(
            try Assembly(
                linking: [plugin],
                configuration: HostConfiguration(
                    limits: LimitsConfiguration(waiting: 10)),
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { _ in })),
            reports: Reporter { _ in })
        host.dispatch(AnyAction("flood/begin"), from: .here())
        host.dispatch(AnyAction("flood/busy"), from: .here())
        let seen = Flood.seen.load(ordering: .relaxed)
        #expect((10...11).contains(seen))
        while host.counts.actions < 52 { sched_yield() }
    }
}
