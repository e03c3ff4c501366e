// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import Testing

@testable import GatehouseJournal
@testable import GatehouseMember
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSDK

/// An action that has no wire form when it is not a number.
private enum Price: PluginAction { case price(Double) }

@Suite(.timeLimit(.minutes(10)))
struct PartitionSlicesTests {
    @Test func `a partition that was never written begins anew`() throws {
        #expect(try PartitionSlices.saved([:]) == nil)
        let recordedLog = try PartitionSlices.recordedLog([:])
        #expect(recordedLog.inputs == 0 && recordedLog.held.isEmpty && recordedLog.effects.isEmpty)
    }

    @Test func `state, sources, held actions and running effects are read as they were written`() throws {
        let saved = SavedState(
            configured: [:], plain: ["a": 1], kept: [:],
            entries: [
                "totals": SavedState.Entry(
                    plugin: "counter", digest: nil, pointer: try JSONPointer("/totals"),
                    state: VersionedState(version: 2, value: ["n": 3]), gate: "open", position: .bypass)
            ])
        var seen = SeenOrigins()
        _ = seen.take(ClusterOrigin(source: "7", epoch: 1, sequence: 4), at: .init(9))
        let held = CheckpointLog.OpenInput(
            number: 12, action: AnyAction("orders/placed", payload: ["order": 5]))
        var effect = JournalEffect(
            number: 1, instance: "mail", sequence: 8, recovery: .again, key: "shop.3-12.0-mail",
            action: AnyAction("orders/placed", payload: ["order": 4]),
            source: ActionSource(file: "orders.log", function: "", line: 7, info: nil))
        (effect.ordinal, effect.attempt) = (2, 3)
        let slices: [String: [UInt8]] = [
            PartitionSlices.plain: PartitionSlices.bytes(saved.withoutEntries.value),
            PartitionSlices.name(of: "totals"): PartitionSlices.bytes(
                try #require(saved.entries["totals"]).value),
            PartitionSlices.book: PartitionSlices.write(seen, inputs: 12),
            PartitionSlices.inputs: try PartitionSlices.write([held]),
            PartitionSlices.effects: PartitionSlices.write([effect], areHandedOver: true),
        ]
        #expect(try PartitionSlices.saved(slices) == saved)
        let recordedLog = try PartitionSlices.recordedLog(slices)
        #expect(recordedLog.inputs == 12)
        #expect(recordedLog.seen.value == seen.value)
        #expect(recordedLog.held.map(\.number) == [12])
        #expect(
            recordedLog.held.map { String(decoding: $0.action, as: UTF8.self) }
                == [#"{"type":"orders/placed","payload":{"order":5}}"#])
        #expect(recordedLog.effects == [effect])
    }

    @Test func `held actions of which one cannot be written are not written`() throws {
        let encodingFailure = AnyAction(
            type: ActionType("orders/price"), typed: Price.price(.nan), isError: false)
        let held = [AnyAction("orders/placed"), encodingFailure].map {
            CheckpointLog.OpenInput(number: 1, action: $0)
        }
        #expect(throws: CodingFailure.self) { try PartitionSlices.write(held) }
    }

    @Test func `a slice that no host writes is named`() {
        #expect(throws: CodingFailure.self) { try PartitionSlices.recordedLog(["book": Array("{}".utf8)]) }
        #expect(throws: CodingFailure.self) { try PartitionSlices.saved(["plain": Array("{".utf8)]) }
        #expect(throws: CodingFailure.self) {
            try PartitionSlices.recordedLog(["effects": Array(#"[{"key":1}]"#.utf8)])
        }
    }

    @Test func `an effect that is not handed over has ended once more`() throws {
        var effect = JournalEffect(
            number: 1, instance: "mail", sequence: 8, recovery: .again, key: "k",
            action: AnyAction("orders/placed"),
            source: ActionSource(file: "orders.log", function: "", line: 7, info: nil))
        effect.ends = 4
        let slices = { ["effects": PartitionSlices.write([effect], areHandedOver: $0)] }
        #expect(try PartitionSlices.recordedLog(slices(false)).effects.map(\.ends) == [5])
        #expect(try PartitionSlices.recordedLog(slices(true)).effects.map(\.ends) == [4])
    }

    @Test func `the greatest number of an input is one, and a greater one is none`() throws {
        let most = JournalNumbers.limit
        let book = { (number: UInt64) in ["book": Array(#"{"inputs":\#(number),"seen":{}}"#.utf8)] }
        #expect(try PartitionSlices.recordedLog(book(most)).inputs == most)
        #expect(throws: CodingFailure.self) { try PartitionSlices.recordedLog(book(most + 1)) }
        #expect(throws: CodingFailure.self) {
            try PartitionSlices.recordedLog(["inputs": Array(#"[{"number":1}]"#.utf8)])
        }
        #expect(throws: CodingFailure.self) {
            try PartitionSlices.recordedLog(["inputs": Array(#"[{"number":-1,"action":"{}"}]"#.utf8)])
        }
        #expect(try PartitionSlices.recordedLog(["inputs": Array("{}".utf8)]).held.isEmpty)
        #expect(throws: CodingFailure.self) { try PartitionSlices.recordedLog(["inputs": Array("[".utf8)]) }
    }

    @Test func `changes of an instance are applied in the order of their numbers`() throws {
        let entry = SavedState.Entry(
            plugin: "limit", pointer: try JSONPointer("/a:b"),
            state: VersionedState(version: 1, value: ["n": 0, "m": 1]), gate: "open", position: .bypass)
        let saved = SavedState(configured: [:], plain: [:], kept: [:], entries: ["a:b": entry])
        var slices = [
            PartitionSlices.plain: PartitionSlices.bytes(saved.withoutEntries.value),
            PartitionSlices.name(of: "a:b"): PartitionSlices.bytes(entry.value),
        ]
        for (number, change) in [(2, #"{"n":[2]}"#), (10, #"{"n":[3],"m":0}"#)] {
            slices[PartitionSlices.name(ofChange: number, of: "a:b")] = Array(#"{"state":\#(change)}"#.utf8)
        }
        #expect(slices["change:10:a:b"] != nil)
        #expect(try PartitionSlices.saved(slices)?.entries["a:b"]?.state?.value == ["n": 3])
        for (name, change) in [
            ("change:11:a:b", "1"), ("change:11:b", "[1]"), ("change:11:a:b", #"{"plugin":{"x":0}}"#),
        ] {
            var wrong = slices
            wrong[name] = Array(change.utf8)
            #expect(throws: CodingFailure.self) { try PartitionSlices.saved(wrong) }
        }
        #expect(PartitionSlices.change(named: "change:x:a") == nil)
        #expect(PartitionSlices.change(named: "change:1") == nil)
    }
}
