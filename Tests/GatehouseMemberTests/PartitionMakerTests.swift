// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import GatehouseJournal
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseLibrary
@testable import GatehouseMember
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// Stores that are made of what an engine has of partitions.
@Suite(.timeLimit(.minutes(10))) struct PartitionMakerTests {
    @Test func `a store numbers actions from 1, inputs after the last, and effects by its epoch`() throws {
        let maker = PartitionMaker.example(of: PlanExample.plan([]), in: MemoryCluster()) {
            Issue.record("\($0)")
        }
        let book = Array(#"{"inputs":6,"seen":{}}"#.utf8)
        let partition = try maker.partition(
            1, PartitionGrant(epoch: 3, offset: .start, slices: [PartitionSlices.book: book], attempts: 1),
            from: nil
        ) {}
        let recorder = try #require(partition.host.store.recorder)
        #expect(recorder.begin(.here()) == 1)
        #expect(recorder.numbers(forInputs: 1) == 7)
        let effect = recorder.begin(effectOf: "mail", after: 1) { number, key, input in
            JournalEffect(number: number, instance: "mail", sequence: 1, input: input, key: key)
        }
        #expect(effect.number == 12_884_901_889)
        #expect(effect.key == "shop.1-3-1.0-mail")
    }

    @Test func `a partition has its folder for data before a plugin asks for it, or says why not`() throws {
        let folder = try TemporaryFolder()
        let grant = PartitionGrant(epoch: 3, offset: .start, slices: [:], attempts: 1)
        let maker = PartitionMaker.example(
            of: PlanExample.plan([]), in: MemoryCluster(), data: folder("data")
        ) { Issue.record("\($0)") }
        _ = try maker.partition(1, grant, from: nil) {}
        #expect(FileSystem.isFolder(folder("data/partition-1")))
        try folder.write("", to: "file")
        let reports = Mutex<[String]>([])
        let other = PartitionMaker.example(
            of: PlanExample.plan([]), in: MemoryCluster(), data: folder("file")
        ) { report in reports.withLock { $0.append("\(report)") } }
        _ = try other.partition(1, grant, from: nil) {}
        let told = reports.withLock { $0 }
        #expect(
            told.map { $0.replacing(folder.path, with: "<folder>") } == [
                "cluster: partition 1: its folder for data, <folder>/file/partition-1, cannot be made: Not a directory; make it, or let this user write above it"
            ])
    }

    @Test func `instances that are made ahead take over the state that comes, if the plan is still the same`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.copyLibrary("CounterPlugin")
        let plan = { (start: Int) in
            Planner(trust: FileTrust(isStrict: false), baseDirectory: folder.path).plan(
                ConfigurationParser.parse(
                    Array(
                        #"{ "directory": ".", "state": { "a": 1 }, "plugins": [{ "id": "counter", "settings": { "start": \#(start) } }] }"#
                            .utf8), file: "plugins.json"))
        }
        let maker = PartitionMaker.example(of: plan(3), in: MemoryCluster()) { Issue.record("\($0)") }
        let count = { (partition: Partition) in
            let place = try JSONPointer("/counter/count")
            return try partition.host.turn { turn throws(CodingFailure) in try turn.state.value(at: place) }
        }
        let ahead = maker.prepare(1) {}
        let entry = SavedState.Entry(
            plugin: "counter", digest: nil, pointer: try JSONPointer("/counter"),
            state: VersionedState(version: 1, value: ["count": 40]), gate: "active", position: .active)
        let saved = SavedState(configured: ["a": 1], plain: ["a": 2], kept: [:], entries: ["counter": entry])
        let left = PartitionGrant(
            epoch: 1, offset: .start,
            slices: [
                PartitionSlices.plain: PartitionSlices.bytes(saved.withoutEntries.value),
                PartitionSlices.name(of: "counter"): PartitionSlices.bytes(entry.value),
            ], attempts: 1)
        #expect(try count(try maker.partition(1, left, from: ahead) {}) == 40)

        let nothing = PartitionGrant(epoch: 1, offset: .start, slices: [:], attempts: 1)
        let early = maker.prepare(1) {}
        #expect(try count(try maker.partition(1, nothing, from: early) {}) == 3)
        let outdated = maker.prepare(1) {}
        maker.follow(plan(5))
        #expect(try count(try maker.partition(1, nothing, from: outdated) {}) == 5)
    }

    @Test func `a state that no library takes is told with its partition, and the store goes without`() throws
    {
        let folder = try TemporaryFolder()
        try folder.copyLibrary("MigrantTwoPlugin")
        let plan = Planner(trust: FileTrust(isStrict: false), baseDirectory: folder.path)
            .plan(
                ConfigurationParser.parse(
                    Array(
                        #"{ "directory": ".", "plugins": [{ "id": "m", "library": "libMigrantTwoPlugin.so" }] }"#
                            .utf8),
                    file: "plugins.json"))
        let saved = SavedState(
            configured: [:], plain: [:], kept: [:],
            entries: [
                "m": SavedState.Entry(
                    plugin: "migrant", digest: nil, pointer: try JSONPointer("/m"),
                    state: VersionedState(version: 1, value: ["total": 3, "deed": "throw"]), gate: "active",
                    position: .active)
            ])
        let reports = Mutex<[String]>([])
        let maker = PartitionMaker.example(of: plan, in: MemoryCluster()) { report in
            reports.withLock { $0.append("\(report)") }
        }
        let partition = try maker.partition(
            1,
            PartitionGrant(
                epoch: 1, offset: .start,
                slices: [
                    PartitionSlices.plain: PartitionSlices.bytes(saved.withoutEntries.value),
                    PartitionSlices.name(of: "m"): PartitionSlices.bytes(
                        try #require(saved.entries["m"]).value),
                ], attempts: 1), from: nil
        ) {}
        #expect(partition.host.instanceIDs == [])
        let told = reports.withLock { $0 }
        #expect(told.count == 1)
        #expect(told.first?.contains("partition 1") == true, "\(told)")
        #expect(
            told.first?.contains(
                "the state is kept as it is, and the instance is left out until a library comes that takes it over"
            )
                == true, "\(told)")
    }
}
