// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What an instance has done, and what it counts itself.
@Suite(.timeLimit(.minutes(10))) struct InstanceCountsTests {
    /// The counts of an instance that was asked for all that there is to count.
    private func counts() async throws -> InstanceCounts {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "patient" }] }"#, libraries: ["PatientPlugin"],
            lines: [
                #"{"type":"patient/count","payload":{"name":"c","by":3}}"#,
                #"{"type":"patient/gauge","payload":{"name":"g","value":0.5}}"#,
                #"{"type":"patient/time","payload":{"name":"t","milliseconds":1000}}"#,
                #"{"type":"patient/time","payload":{"name":"t","milliseconds":500}}"#,
                #"{"type":"patient/ask"}"#, #"{"type":"patient/count","payload":{"name":"c"}}"#,
                #"{"type":"patient/refuse","payload":{"reason":"no"}}"#,
                #"{"type":"patient/sicken","payload":"a cold"}"#,
            ])
        return try #require(run.counts.instances.first)
    }

    @Test func `programs get all of it by name, with the reason of a failing instance`() async throws {
        let value = try await counts().value
        #expect(value["health"] == "failing" && value["reason"] == "a cold")
        #expect(value["counts"] == ["c": 3])
        #expect(value["gauges"] == ["g": 0.5])
        #expect(value["times"] == ["t": ["count": 2, "seconds": 1.5]])
        #expect(value["misfits"] == 1 && value["failures"] == 1 && value["emitted"] == 1)
        #expect(value["stopped"] == 0 && value["dropped"] == 0 && value["refused"] == 0)
        #expect(value["effects"] == 0)
    }

    @Test func `what was counted outlives a store, and how it was does not`() async throws {
        let past = try await counts().past
        #expect(past.health == .ok)
        #expect(past.value["counts"] == ["c": 3] && past.value["gauges"] == nil)
        #expect(past.value["times"] == ["t": ["count": 2, "seconds": 1.5]])
        #expect(past.failures == 1 && past.emitted == 1 && past.misfits == 1)
    }

    @Test func `two stores add up, and the instance is failing as soon as it is in one of them`() async throws
    {
        let counts = try await counts()
        var sum = counts.past
        sum.add(counts)
        #expect(sum.health == .failing("a cold"))
        #expect(sum.value["counts"] == ["c": 6] && sum.value["gauges"] == ["g": 0.5])
        #expect(sum.value["times"] == ["t": ["count": 4, "seconds": 3.0]])
        #expect(sum.failures == 2 && sum.emitted == 2 && sum.misfits == 2)
        #expect(sum.account.heard == 2 * counts.account.heard)
        sum.add(counts.past)
        #expect(sum.health == .failing("a cold"))
    }

    /// Emits `b` for each `a`, when the reducers are through.
    private struct Answering: Plugin {
        enum Action: PluginAction { case a, b }

        static func middleware() -> Reader { MiddlewareReader { _ in AnyMiddleware(Answer()) } }

        private struct Answer: MiddlewareProtocol {
            func handle(
                action: Action, from dispatcher: ActionSource, state: GetState<NoState>
            ) -> IO<Action> {
                guard case .a = action else { return .pure() }
                return IO { $0.dispatch(.b) }
            }
        }
    }

    @Test func `an answer that is watched stands still while the host takes what it emits`() throws {
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "i"),
            manifest: PluginManifest(
                id: "answering", version: try #require(SemanticVersion("1.0.0")), summary: "",
                principal: "Answering", consumes: ["a"], emits: ["b"]),
            exports: PluginEntry.exports(of: Answering.self))
        let assembly = try Assembly(
            linking: [plugin],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { Issue.record("\($0)") }))
        let host = Host(assembly, reports: Reporter { Issue.record("\($0)") })
        let runs = Mutex<[Bool]>([])
        host.turn { turn in turn.watchNext { isRunning in runs.withLock { $0.append(isRunning) } } }
        host.dispatch(AnyAction("i/a"), from: .here())
        #expect(runs.withLock { $0 } == [true, false, true, false])
        #expect(host.counts.actions == 2)
    }
}
