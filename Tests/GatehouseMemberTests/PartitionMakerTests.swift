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
    @Test func `a store numbers actions from 1, inputs behind the last, and effects by its epoch`() throws {
        let maker = PartitionMaker.example(of: PlanExample.plan([]), in: MemoryCluster()) {
            Issue.record("\($0)")
        }
        let book = Array(#"{"inputs":6,"seen":{}}"#.utf8)
        let partition = try maker.partition(
            1, PartitionGrant(epoch: 3, offset: .start, slices: [PartitionSlices.book: book], attempts: 1)
        ) {}
        let recorder = try #require(partition.host.store.recorder)
        #expect(recorder.begin(.unknown) == 1)
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
        _ = try maker.partition(1, grant) {}
        #expect(FileSystem.isFolder(folder("data/partition-1")))
        try folder.write("", to: "file")
        let reports = Mutex<[String]>([])
        let other = PartitionMaker.example(
            of: PlanExample.plan([]), in: MemoryCluster(), data: folder("file")
        ) { report in reports.withLock { $0.append("\(report)") } }
        _ = try other.partition(1, grant) {}
        let told = reports.withLock { $0 }
        #expect(
            told.map { $0.replacing(folder.path, with: "<folder>") } == [
                "cluster: partition 1: its folder for data, <folder>/file/partition-1, cannot be made: Not a directory; make it, or let this user write above it"
            ])
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
                ], attempts: 1)
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
