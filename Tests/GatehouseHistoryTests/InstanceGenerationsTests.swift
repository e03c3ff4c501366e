// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseSDK
import Testing

@testable import GatehouseHistory

/// What a journal's generations say about one instance.
@Suite struct InstanceGenerationsTests {
    /// A generation with some instances: each its entry, and the plugin, version and digest of its library.
    private func generation(
        _ number: Int, gates: [String: GateState] = [:],
        _ instances: [(entry: Members, plugin: String, version: String, digest: String, quarantine: String?)]
    ) throws -> GenerationRecord {
        let libraries = instances.map { one -> (String, Value) in
            var library: Members = [
                "plugin": .string(one.plugin), "version": .string(one.version), "digest": .string(one.digest),
                "file": "libPlugin.so",
            ]
            library["quarantine"] = one.quarantine.map(Value.string)
            return (one.entry["id"]?.stringValue ?? "", .object(library))
        }
        let plan = try RecordedPlan([
            "host": "1.0.0 f",
            "configuration": ["plugins": .array(instances.map { .object($0.entry) })],
            "libraries": .object(Members(libraries)),
        ])
        return GenerationRecord(
            epoch: 1, number: number, after: UInt64(10 * number), time: Double(number), plan: plan,
            change: GenerationChange(gates: gates))
    }

    /// The numbers of the generations, with what changed in each.
    private func changes(of id: String, in records: [GenerationRecord]) -> [String] {
        InstanceGenerations(of: id, in: records).steps.map {
            "\($0.record.number) \($0.id): \($0.changes.joined(separator: "; "))"
        }
    }

    @Test func `each change is told once, the newest first`() throws {
        let eu: Members = ["id": "eu", "library": "libPlugin.so"]
        let set: Members = ["id": "eu", "library": "libPlugin.so", "settings": ["step": 2]]
        let records = [
            try generation(1, [(eu, "counter", "1.0.0", "aa", nil)]),
            try generation(
                2, [(eu, "counter", "1.0.0", "aa", nil), (["id": "us"], "counter", "1.0.0", "aa", nil)]),
            try generation(3, [(eu, "counter", "1.0.0", "ab", nil)]),
            try generation(4, [(set, "counter", "1.1.0", "bb", nil)]),
            try generation(5, [(set, "counter", "1.1.0", "bb", "it died")]),
            try generation(6, [(set, "sums", "3.0.0", "cc", nil)]),
            try generation(7, []),
            try generation(8, [(eu, "sums", "3.0.0", "cc", nil)]),
        ]
        #expect(
            changes(of: "eu", in: records) == [
                "8 eu: started", "7 eu: stopped",
                "6 eu: plugin sums in place of counter; let out of quarantine",
                "5 eu: put in quarantine: it died", "4 eu: version 1.0.0 by 1.1.0; other settings",
                "3 eu: new bytes of version 1.0.0", "1 eu: as the journal first knows it",
            ])
        #expect(changes(of: "us", in: records) == ["3 us: stopped", "2 us: started"])
        #expect(changes(of: "asia", in: records) == [])
    }

    @Test func `an instance is followed to its former name`() throws {
        let records = [
            try generation(1, [(["id": "old"], "counter", "1.0.0", "aa", nil)]),
            try generation(2, [(["id": "new", "was": "old"], "counter", "1.0.0", "aa", nil)]),
        ]
        #expect(
            changes(of: "new", in: records) == [
                "2 new: renamed from old", "1 old: as the journal first knows it",
            ])
    }

    @Test func `programs get the library and the gate from then on`() throws {
        let record = try generation(
            3, gates: ["eu": .bypass], [(["id": "eu"], "counter", "1.0.0", "aa", nil)])
        #expect(
            InstanceGenerations(of: "eu", in: [record]).steps.map(\.value) == [
                [
                    "run": 1, "generation": 3, "after": 30, "time": 3, "id": "eu",
                    "changes": ["as the journal first knows it"], "plugin": "counter", "version": "1.0.0",
                    "digest": "aa", "gate": "bypass",
                ]
            ])
    }
}
