// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import CrashReportsPlugin

@Suite struct CrashReportsPluginTests {
    /// What is kept of an action of this type that the harness sent.
    private func report(_ type: String, _ others: (String, Value)...) -> Value {
        let source: Value = ["file": "input.ndjson", "function": "", "line": 7]
        return .object(Members([("type", .string(type)), ("source", source)] + others))
    }

    @Test func `only errors are recorded`() throws {
        let harness = try PluginHarness(CrashReports.self)
        harness.send("orders/placed", ["id": 1])
        #expect(try harness.state == ["reports": [], "total": 0])
        harness.send("orders/failed", ["id": 1], error: true)
        #expect(try harness.state == ["reports": [report("orders/failed")], "total": 1])
    }

    @Test func `the report travels in an action of its own`() throws {
        let harness = try PluginHarness(CrashReports.self)
        harness.send("orders/failed", error: true)
        #expect(harness.actions.map(\.action.type) == ["orders/failed", "recorded"])
        #expect(harness.actions.last?.action.isError == false)
        #expect(harness.actions.last?.action.payload == report("orders/failed"))
    }

    @Test func `time and payload are kept when they are granted and wanted`() throws {
        let harness = try PluginHarness(CrashReports.self, settings: ["payload": true], granted: ["clock"])
        harness.send("a", ["code": 5], error: true)
        harness.send("b", error: true)
        let expected: Value = [
            report("a", ("at", 1000.5), ("payload", ["code": 5])), report("b", ("at", 1000.5)),
        ]
        #expect(try harness.state == ["reports": expected, "total": 2])
    }

    @Test func `the oldest reports make room`() throws {
        let harness = try PluginHarness(CrashReports.self, settings: ["limit": 2])
        for type in ["a", "b", "c", "d"] { harness.send(ActionType(type), error: true) }
        #expect(try harness.state == ["reports": [report("c"), report("d")], "total": 4])
    }

    @Test func `clear forgets the reports and keeps the total`() throws {
        let harness = try PluginHarness(CrashReports.self)
        harness.send("a", error: true)
        harness.send("clear")
        #expect(try harness.state == ["reports": [], "total": 1])
        let version = harness.version
        harness.send("clear")
        #expect(harness.version == version)
    }

    @Test(arguments: [nil, ["type": 1], "text"] as [Value?])
    func `a recorded without a report is left alone`(payload: Value?) throws {
        let harness = try PluginHarness(CrashReports.self)
        harness.send("recorded", payload)
        #expect(harness.version == 0)
    }

    @Test func `a restored state beyond the limits does not trap`() throws {
        let exports = PluginEntry.exports(of: CrashReports.self)
        let parts = try exports.makeParts(settings: ["limit": 1]) { _ in }
        try parts.slice.restore([
            "reports": [report("a"), report("b"), report("c")], "total": Value(UInt64.max),
        ])
        var slice = parts.slice
        let reducer = try #require(parts.reducer)
        _ = reducer.apply(AnyAction("recorded", payload: report("d")), &slice)
        #expect(try slice.value() == ["reports": [report("d")], "total": Value(UInt64.max)])
    }

    @Test(arguments: [1, 1000])
    func `limits from 1 to 1000 are taken`(limit: Int) throws {
        _ = try PluginHarness(CrashReports.self, settings: ["limit": Value(limit)])
    }

    @Test(
        arguments: [
            (0, "/limit: expected 1 to 1000, found 0"), (1001, "/limit: expected 1 to 1000, found 1001"),
            ("many", "/limit: expected an integer, found a string"),
        ] as [(Value, String)])
    func `other limits are refused`(limit: Value, message: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try PluginHarness(CrashReports.self, settings: ["limit": limit])
        }
        #expect(failure?.description == message)
    }
}
