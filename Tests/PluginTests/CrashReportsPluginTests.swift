// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import CrashReportsPlugin

@Suite(.timeLimit(.minutes(10))) struct CrashReportsPluginTests {
    /// What is kept of an action of this type that came as `input` says.
    private func report(_ type: String, at time: Double? = nil, payload: Value? = nil) -> Report {
        Report(type: type, source: .input(), at: time, payload: payload)
    }

    /// The action that carries a report.
    private func recorded(_ report: Report) throws -> AnyAction {
        AnyAction("recorded", payload: try Value(encoding: report))
    }

    @Test func `only errors are recorded, in an action of its own`() async throws {
        let store = try TestStore(CrashReports.self, clock: nil)
        try store.send(AnyAction("orders/placed", payload: ["id": 1]), from: .input())
        try store.send(AnyAction("orders/failed", payload: ["id": 1], error: true), from: .input())
        let source: Value = ["file": "input.ndjson", "function": "", "line": 7]
        try await store.receive(
            wire: ["type": "recorded", "payload": ["type": "orders/failed", "source": source]]
        ) {
            $0.reports = [report("orders/failed")]
            $0.total = 1
        }
        try await store.finish()
    }

    @Test func `time and payload are kept when they are granted and wanted`() async throws {
        let store = try TestStore(
            CrashReports.self, settings: ["payload": true], services: TestServices(unixTime: 1000.5))
        try store.send(AnyAction("a", payload: ["code": 5], error: true), from: .input())
        let first = report("a", at: 1000.5, payload: ["code": 5])
        try await store.receive(recorded(first)) {
            $0.reports = [first]
            $0.total = 1
        }
        store.advance(by: .seconds(2))
        try store.send(AnyAction("b", error: true), from: .input())
        let second = report("b", at: 1002.5)
        try await store.receive(recorded(second)) {
            $0.reports = [first, second]
            $0.total = 2
        }
        try await store.finish()
    }

    @Test func `the oldest reports make room`() async throws {
        let store = try TestStore(CrashReports.self, settings: ["limit": 2], clock: nil)
        for (index, type) in ["a", "b", "c", "d"].enumerated() {
            try store.send(AnyAction(ActionType(type), error: true), from: .input())
            try await store.receive(recorded(report(type))) {
                $0.reports = ($0.reports + [report(type)]).suffix(2)
                $0.total = UInt64(index) + 1
            }
        }
        #expect(store.state.reports.map(\.type) == ["c", "d"])
        try await store.finish()
    }

    @Test func `clear forgets the reports and keeps the total`() async throws {
        let kept = CrashReports.State(reports: [report("a")], total: 1)
        let store = try TestStore(CrashReports.self, restoring: try Value(encoding: kept))
        try store.send(AnyAction("clear")) { $0.reports = [] }
        try store.send(AnyAction("clear"))
        #expect(store.stateChanges == 1)
        try await store.finish()
    }

    @Test(arguments: [nil, ["type": 1], "text"] as [Value?])
    func `a recorded without a report is left alone`(payload: Value?) async throws {
        let store = try TestStore(CrashReports.self)
        try store.send(AnyAction("recorded", payload: payload))
        #expect(store.stateChanges == 0)
        try await store.finish()
    }

    @Test func `a restored state beyond the limits does not trap`() async throws {
        let kept = CrashReports.State(reports: [report("a"), report("b"), report("c")], total: .max)
        let store = try TestStore(
            CrashReports.self, settings: ["limit": 1], restoring: try Value(encoding: kept))
        try store.send(recorded(report("d"))) { $0.reports = [report("d")] }
        try await store.finish()
    }

    @Test(arguments: [1, 1000])
    func `limits from 1 to 1000 are taken`(limit: Int) throws {
        _ = try TestStore(CrashReports.self, settings: ["limit": Value(limit)])
    }

    @Test(
        arguments: [
            (0, "/limit: expected 1 to 1000, found 0"), (1001, "/limit: expected 1 to 1000, found 1001"),
            ("many", "/limit: expected an integer, found a string"),
        ] as [(Value, String)])
    func `other limits are refused`(limit: Value, message: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(CrashReports.self, settings: ["limit": limit])
        }
        #expect(failure?.description == message)
    }

    @Test func `the manifest says what the plugin does`() throws {
        try CrashReports.checkManifest(at: "Plugins/CrashReports/plugin.json")
    }
}
