// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseManifest
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseJournal
@testable import GatehouseMember
@testable import GatehousePlan

/// What becomes of checkpoints when their cluster gets another number of partitions.
@Suite(.timeLimit(.minutes(10))) struct PartitionDivisionTests {
    /// A checkpoint as a host writes it; a slice by name.
    private func checkpoint(_ slices: [String: Value], at offset: UInt64 = 1) -> PartitionDivision.Checkpoint
    {
        var slices = slices
        if slices["plain"] == nil { slices["plain"] = plain() }
        if slices["book"] == nil { slices["book"] = ["inputs": 0, "seen": [:]] }
        return PartitionDivision.Checkpoint(
            offset: ClusterOffset(offset, 0), slices: slices.mapValues(PartitionSlices.bytes))
    }

    /// The slice of what no instance owns.
    private func plain(_ state: Value = [:], configured: Value = [:]) -> Value {
        ["form": 1, "configured": configured, "plain": state, "kept": [:], "instances": [:]]
    }

    /// The slice of an instance.
    private func entry(
        _ state: Value?, version: Int = 1, gate: String = "active", position: String = "active"
    )
        -> Value
    {
        var members: Members = [
            "plugin": "orders", "slice": "/orders", "gate": .string(gate), "position": .string(position),
        ]
        if let state {
            members["version"] = Value(version)
            members["state"] = state
        }
        return .object(members)
    }

    /// Divides checkpoints among so many partitions.
    private func divide(
        _ old: [PartitionDivision.Checkpoint], to count: Int, splits: [String: [String]] = [:],
        sums: [String] = [], keys: [(String, String)] = [("orders/*", "/order")], state: Value = [:],
        single: Set<String> = [],
        discarded: Set<String> = [], time: Int = 1_000
    ) throws -> PartitionDivision {
        let cluster = ClusterConfiguration(
            engine: "redis://a", name: "shop", partitions: count,
            keys: try keys.map {
                ClusterConfiguration.KeyPlace(
                    types: try #require(TypePattern($0.0)), place: try JSONPointer($0.1))
            },
            splits: try splits.mapValues {
                ClusterConfiguration.Split(
                    keys: try $0.map { try JSONPointer($0) }, sums: try sums.map { try JSONPointer($0) })
            })
        return PartitionDivision(
            old,
            by: PartitionDivision.Rules(
                cluster: cluster, state: state, single: single, discarded: discarded, time: ClusterTime(time))
        )
    }

    /// The state of the instance `orders` in a partition.
    private func state(_ division: PartitionDivision, _ partition: Int) throws -> Value? {
        let slice = try #require(division.partitions[partition]["instance:orders"])
        return try JSONText.parse(slice)["state"]
    }

    /// The partition of a key.
    private func home(_ key: String, in count: Int) -> Int { PartitionHash.partition(of: key, in: count) }

    /// Keys that are at home in a partition.
    private func keys(of partition: Int, in count: Int, _ number: Int) -> [String] {
        Array((0...).lazy.map { "E-\($0)" }.filter { home($0, in: count) == partition }.prefix(number))
    }

    // MARK: - States

    @Test func `what belongs to keys goes to their partitions, and everything else is copied`() throws {
        let keys = [keys(of: 0, in: 2, 3), keys(of: 1, in: 2, 3)]
        let old = keys.map { keys in
            checkpoint([
                "instance:orders": entry([
                    "form": "new", "open": .object(Members(keys.map { ($0, .string($0)) })),
                ])
            ])
        }
        let division = try divide(old, to: 5, splits: ["orders": ["/open"]])
        #expect(division.problems == [])
        #expect(division.fates.map(\.fate) == [.divided(keys: 6)])
        for partition in 0..<5 {
            let here = (keys[0] + keys[1]).filter { home($0, in: 5) == partition }
            #expect(
                try state(division, partition)
                    == ["form": "new", "open": .object(Members(here.map { ($0, .string($0)) }))])
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func
        `each key is in the partition of its hash and in no other one, and the way back leads to where it began`(
            seed: UInt64
        ) throws
    {
        var random = SeededGenerator(seed: seed)
        let (old, new) = (Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random))
        let letters = ["é", "e\u{301}", "", "/", "~", "\"", "0", "a", "ä", "长"]
        var states = Array(repeating: (open: Members(), done: Members()), count: old)
        var all: [String: Value] = [:]
        for number in 0..<Int.random(in: 0...60, using: &random) {
            let count = Int.random(in: 0...(number % 7 == 0 ? 300 : 4), using: &random)
            let key =
                (0..<count).map { _ in letters.randomElement(using: &random) ?? "" }.joined() + "\(number)"
            let action = AnyAction("orders/placed", payload: ["order": .string(key)])
            let partition = home(try #require(action.key(at: try JSONPointer("/order"))), in: old)
            if Bool.random(using: &random) { states[partition].open[key] = Value(number) }
            states[partition].done[key] = [Value(number)]
            all[key] = [Value(number)]
        }
        let checkpoints = states.map { open, done in
            checkpoint(["instance:orders": entry(["open": .object(open), "rest": 7, "by": [.object(done)]])])
        }
        let splits = ["orders": ["/open", "/by/0"]]
        let there = try divide(checkpoints, to: new, splits: splits)
        #expect(there.problems == [], "seed \(seed)")
        #expect(there.partitions.count == new)
        var found = 0
        for partition in 0..<new {
            let done = try #require(try state(there, partition)?["by"]?[0]?.objectValue)
            for (key, value) in done {
                let action = AnyAction("orders/placed", payload: ["order": .string(key)])
                let text = try #require(action.key(at: try JSONPointer("/order")))
                #expect(home(text, in: new) == partition, "seed \(seed)")
                #expect(all[key] == value, "seed \(seed)")
                found += 1
            }
        }
        #expect(found == states.reduce(0) { $0 + $1.done.count }, "seed \(seed)")
        let back = try divide(
            there.partitions.map { PartitionDivision.Checkpoint(offset: .start, slices: $0) }, to: old,
            splits: splits)
        #expect(back.problems == [], "seed \(seed)")
        for partition in 0..<old {
            let before = try #require(checkpoints[partition].slices["instance:orders"])
            #expect(
                try JSONText.parse(try #require(back.partitions[partition]["instance:orders"]))
                    == JSONText.parse(before), "seed \(seed)")
        }
    }

    @Test func `what leads to the keys may be missing where there were none yet`() throws {
        let key = keys(of: 1, in: 2, 1)[0]
        let old = [
            checkpoint(["instance:orders": entry(["rules": [:]])]),
            checkpoint(["instance:orders": entry(["rules": ["a": ["keys": [key: 1], "other": 0]]])]),
        ]
        let division = try divide(old, to: 3, splits: ["orders": ["/rules/a/keys"]])
        #expect(division.problems == [])
        for partition in 0..<3 {
            let keys: Value = home(key, in: 3) == partition ? [key: 1] : [:]
            #expect(try state(division, partition) == ["rules": ["a": ["keys": keys, "other": 0]]])
        }
    }

    @Test func `the whole state may be the object of the keys`() throws {
        let old = (0..<2).map { partition in
            checkpoint([
                "instance:orders": entry(.object(Members(keys(of: partition, in: 2, 2).map { ($0, 1) })))
            ])
        }
        let division = try divide(old, to: 1, splits: ["orders": [""]])
        #expect(try state(division, 0)?.objectValue?.count == 4)
    }

    @Test func `a state that belongs to no key is copied where a rule says so and it is the same everywhere`()
        throws
    {
        let old = (0..<2).map { _ in checkpoint(["instance:orders": entry(["limit": 3])]) }
        let division = try divide(old, to: 3, splits: ["orders": []])
        #expect(division.problems == [])
        #expect(try (0..<3).map { try state(division, $0) } == Array(repeating: ["limit": 3], count: 3))
    }

    @Test func `numbers that count something of the whole cluster are added up, and stand in partition 0`()
        throws
    {
        let keys = (0..<2).map { self.keys(of: $0, in: 2, 1)[0] }
        let ledger = { (key: String, stopped: Value) -> Value in
            ["rules": ["a": ["keys": [key: 1], "stopped": stopped, "other": 0.5]]]
        }
        let old = [
            checkpoint(["instance:orders": entry(ledger(keys[0], 3))]),
            checkpoint(["instance:orders": entry(ledger(keys[1], 4))]),
        ]
        let places = ["/rules/a/keys"]
        let division = try divide(
            old, to: 3, splits: ["orders": places],
            sums: ["/rules/a/stopped", "/rules/a/other", "/rules/b/stopped"])
        #expect(division.problems == [])
        for partition in 0..<3 {
            let rule = try state(division, partition)?["rules"]?["a"]
            #expect(rule?["stopped"] == (partition == 0 ? 7 : 0))
            #expect(rule?["other"]?.doubleValue == (partition == 0 ? 1 : 0))
        }
        // What a partition has not counted yet counts nothing.
        let some = [old[0], checkpoint(["instance:orders": entry(["rules": [:]])])]
        let begun = try divide(
            some, to: 4, splits: ["orders": places], sums: ["/rules/a/stopped", "/rules/a/other"])
        #expect(begun.problems == [])
        #expect(try state(begun, 0)?["rules"]?["a"]?["stopped"] == 3)
        #expect(try state(begun, 1)?["rules"]?["a"]?["stopped"] == 0)
    }

    @Test func `in as many partitions as before everything stays where it is, also without a rule`() throws {
        let old = [
            checkpoint(["plain": plain(["a": 1]), "instance:orders": entry(["count": 1], version: 1)]),
            checkpoint(["plain": plain(["a": 2]), "instance:orders": entry(["count": 2], version: 2)]),
        ]
        let division = try divide(old, to: 2)
        #expect(division.problems == [])
        #expect(division.fates.map(\.fate) == [.kept])
        for (partition, slices) in division.partitions.enumerated() {
            #expect(try state(division, partition) == ["count": Value(partition + 1)])
            let plain = try JSONText.parse(try #require(slices["plain"]))["plain"]
            #expect(plain == ["a": Value(partition + 1)])
        }
    }

    @Test func `whole numbers stay whole, and come to their limit and no further`() throws {
        let old = [Int64.max - 1, 5].map { checkpoint(["instance:orders": entry(["count": .integer($0)])]) }
        let division = try divide(old, to: 1, splits: ["orders": []], sums: ["/count"])
        #expect(try state(division, 0) == ["count": .integer(.max)])
    }

    @Test func `what is no number cannot be added up`() throws {
        let old = [1, "b"].map { checkpoint(["instance:orders": entry(["count": $0])]) }
        #expect(
            try divide(old, to: 1, splits: ["orders": []], sums: ["/count"]).problems == [
                "orders: expected a number to add up at /count in partition 1, found a string; correct the rule in \"split\""
            ])
    }

    @Test func `everything that stands against it is told at once, and nothing is divided`() throws {
        let key = keys(of: 0, in: 2, 1)[0]
        let stray = keys(of: 1, in: 2, 1)[0]
        let old = [
            checkpoint([
                "instance:orders": entry(["open": [key: 1, stray: 2], "count": 3]),
                "instance:sums": entry(["total": 5]), "instance:list": entry(["open": [1]]),
            ]),
            checkpoint([
                "instance:orders": entry(["open": [:], "count": 4]), "instance:list": entry(["open": [:]]),
            ]),
        ]
        let division = try divide(
            old, to: 4, splits: ["orders": ["/open"], "list": ["/open"]], discarded: ["ordres"])
        #expect(
            division.problems == [
                "ordres: no partition has anything of such an instance, so there is nothing to discard; remove it",
                "list: expected an object whose members are keys at /open in partition 0, found an array; correct the rule in \"split\"",
                "orders: 1 member at /open in partition 0 cannot be a key of it: the key \"\(stray)\" belongs to partition 1; correct the rule in \"split\"",
                "orders: outside of /open, /count is 3 in partition 0 and 4 in partition 1, and belongs to no key; name another place in \"split\", or start the instance from scratch with --discard",
                "sums: no rule says which part of its state belongs to which key; give it one in \"split\", or start it from scratch with --discard",
            ])
        #expect(division.partitions.isEmpty)
    }

    @Test func `an instance that is discarded begins anew, and one without a state keeps its gate`() throws {
        let old = (0..<2).map { _ in
            checkpoint([
                "instance:orders": entry(["count": 3]), "instance:rules": entry(nil, position: "bypass"),
            ])
        }
        let division = try divide(old, to: 1, discarded: ["orders"])
        #expect(division.problems == [])
        #expect(division.partitions[0]["instance:orders"] == nil)
        #expect(
            try JSONText.parse(try #require(division.partitions[0]["instance:rules"]))["position"] == "bypass"
        )
        #expect(division.fates.map(\.instance) == ["orders"])
    }

    @Test func `an instance that is there once stays in partition 0`() throws {
        let old = [checkpoint(["instance:orders": entry(["next": 3])]), checkpoint([:])]
        let division = try divide(old, to: 3, single: ["orders"])
        #expect(division.problems == [])
        #expect(try state(division, 0) == ["next": 3])
        #expect(division.partitions[1]["instance:orders"] == nil)
        #expect(
            try divide(old.reversed(), to: 3, single: ["orders"]).problems == [
                "orders: it is there once in the cluster, in partition 0, and partition 1 has a state of it too; start it from scratch with --discard"
            ])
    }

    @Test func `partitions that do not fit together are refused`() throws {
        let rest = checkpoint([
            "instance:orders": entry([:], version: 2), "instance:a": entry(nil, position: "bypass"),
            "instance:b": ["plugin": "other", "slice": "/b", "gate": "active"],
        ])
        let old = [
            rest,
            checkpoint(
                [
                    "instance:orders": entry([:]), "instance:a": entry(nil),
                    "instance:b": ["plugin": "counter", "slice": "/b", "gate": "active"],
                ], at: 9),
        ]
        #expect(
            try divide(old, to: 3, splits: ["orders": [""]]).problems == [
                "a: its gate is active in partition 1 and bypass in partition 0; open or close it in all of them first",
                "b: it is counter in partition 1 and other in partition 0; bring all partitions to one version first, with gatehouse ctl cluster reload",
                "orders: its state is of version 1 in partition 1 and of version 2 in partition 0; let the members bring all partitions to one version first",
            ])
    }

    @Test func `a gate that was configured otherwise by then says nothing about where it was moved to`()
        throws
    {
        let old = [
            checkpoint(["instance:a": entry(nil, gate: "bypass", position: "bypass")], at: 3),
            checkpoint(["instance:a": entry(nil)], at: 9),
        ]
        let division = try divide(old, to: 1)
        #expect(division.problems == [])
        #expect(try JSONText.parse(try #require(division.partitions[0]["instance:a"])) == entry(nil))
    }

    @Test func `what no instance owns must be the same everywhere, as the configuration of now has it`()
        throws
    {
        let old = [
            checkpoint(["plain": plain(["on": true, "more": 1], configured: ["on": true])]),
            checkpoint(["plain": plain(["on": false, "more": 1], configured: ["on": false])]),
        ]
        let division = try divide(old, to: 1, state: ["on": false])
        #expect(division.problems == [])
        #expect(
            try JSONText.parse(try #require(division.partitions[0]["plain"]))
                == plain(["on": false, "more": 1], configured: ["on": false]))
        let differing = [checkpoint(["plain": plain(["x": 1])]), checkpoint(["plain": plain(["x": 2])])]
        #expect(
            try divide(differing, to: 1).problems == [
                "the state outside of all instances differs: /plain/x is 1 in partition 0 and 2 in partition 1; let the members make it the same first, with host/state/merge to all of them"
            ])
    }

    @Test func `a slice that this version does not know is refused`() throws {
        #expect(
            try divide([checkpoint(["news": 1])], to: 2).problems == [
                "partition 0 has a slice \"news\" that this host cannot read; use the version that wrote it"
            ])
    }

    @Test func `changes of a state are divided with it, and are not there afterwards`() throws {
        let old = checkpoint([
            "instance:orders": entry(["open": ["a": 1, "b": 2]]),
            "change:1:orders": ["state": ["open": ["a": [3]]]],
            "change:2:orders": ["state": ["open": ["b": 0, "c": [4]]]],
        ])
        let division = try divide([old], to: 1, splits: ["orders": ["/open"]])
        #expect(division.problems == [])
        #expect(try state(division, 0) == ["open": ["a": 3, "c": 4]])
        #expect(Set(division.partitions[0].keys) == ["plain", "book", "instance:orders"])
    }

    @Test func `a change of a state that is not there is refused`() throws {
        #expect(
            try divide([checkpoint(["change:1:orders": ["state": 0]])], to: 2).problems == [
                "partition 0 has a slice \"change:1:orders\" that this host cannot read; use the version that wrote it"
            ])
    }

    @Test func `a cluster without a checkpoint has nothing to divide`() throws {
        let division = try divide([.init(offset: .start, slices: [:])], to: 3)
        #expect(division.problems == [])
        #expect(division.partitions == [[:], [:], [:]])
    }

    // MARK: - What is under way

    @Test func `held actions go to the partitions of their keys, under numbers of their own`() throws {
        let held = { (key: String, number: Int) -> Value in
            [
                "number": Value(number),
                "action": .string(#"{"type":"orders/placed","payload":{"order":"\#(key)"}}"#),
            ]
        }
        let found = keys(of: 2, in: 3, 2)
        let old = [
            checkpoint([
                "book": ["inputs": 8, "seen": ["a.1": [0, 5, 1, 1]]], "inputs": [held(found[0], 7)],
            ]),
            checkpoint(["book": ["inputs": 9, "seen": [:]], "inputs": [held(found[1], 7)]]),
        ]
        let division = try divide(old, to: 3)
        #expect(division.problems == [])
        #expect(division.partitions.map { $0["inputs"] == nil } == [true, true, false])
        let recordedLog = try PartitionSlices.recordedLog(division.partitions[2])
        #expect(recordedLog.held.map(\.number) == [10, 11])
        #expect(recordedLog.inputs == 11)
        // What waits has no origins any more.
        #expect(recordedLog.seen.value == [:])
    }

    @Test func `an effect that was running goes to the partition of its action's key`() throws {
        let found = keys(of: 2, in: 3, 2)
        let effects = found.map { key -> Value in
            [
                "number": 7, "key": "shop.1/2", "instance": "mail", "sequence": 4, "ordinal": 1, "attempt": 2,
                "recovery": "again", "file": "in", "line": 3,
                "action": ["type": "orders/placed", "payload": ["order": .string(key)]],
            ]
        }
        let old = effects.map { checkpoint(["effects": [$0]]) }
        let division = try divide(old, to: 3)
        #expect(
            division.notices
                == (0...1).map {
                    "mail: the effect shop.1/2 was running in partition \($0); partition 2 begins it again"
                })
        let left = try PartitionSlices.recordedLog(division.partitions[2]).effects
        #expect(left.map(\.number) == [1, 2])
        #expect(left.map(\.ordinal) == [1, 1])
        #expect(left.map { $0.action?.payload?["order"] } == found.map { .string($0) })
    }

    @Test func `an effect that an older host had running is told where its partition goes`() throws {
        let effect: Value = ["key": "shop.1/2", "instance": "mail", "action": 4]
        let division = try divide([checkpoint([:]), checkpoint(["effects": [effect]])], to: 1)
        #expect(
            division.notices == [
                "mail: the effect shop.1/2 was running in partition 1; partition 0 will hear of it by host/effect/interrupted"
            ])
        let left = try PartitionSlices.recordedLog(division.partitions[0]).effects
        #expect(left.map(\.sequence) == [4])
        #expect(left.map(\.recovery) == [.tell])
    }

    @Test(arguments: [1, 3, 5, 6, 8, 4_095])
    func `the name of an action goes to the one partition that its key goes to`(count: Int) throws {
        let keys = (0..<2_500).map { "k\($0)" }
        let old = (0..<4).map { partition in
            let names = keys.filter { home($0, in: 4) == partition }.map {
                TakenIDs.Entry(id: "n\($0)", hash: PartitionHash.hash($0.utf8))
            }
            return PartitionDivision.Checkpoint(
                offset: ClusterOffset(1, 0), slices: ["ids:900.7.900": TakenIDs.bytes(of: names)])
        }
        let division = try divide(old, to: count)
        #expect(division.problems == [])
        for (number, slices) in division.partitions.enumerated() {
            let slice = try slices["ids:900.0.900"].map { try JSONText.parse($0) } ?? []
            #expect(
                TakenIDs.entries(of: slice)?.map(\.id)
                    == keys.filter { home($0, in: count) == number }.map { "n\($0)" }.sorted())
        }
        // What was divided is divided once more as what members wrote.
        let again = try divide(
            division.partitions.map { PartitionDivision.Checkpoint(offset: ClusterOffset(1, 0), slices: $0) },
            to: 4)
        for (number, slices) in again.partitions.enumerated() {
            let slice = try JSONText.parse(try #require(slices["ids:900.0.900"]))
            let names = try #require(TakenIDs.entries(of: slice))
            #expect(
                names.allSatisfy { home(String($0.id.dropFirst()), in: 4) == number })
        }
    }

    @Test
    func `names without keys, of earlier versions, are known to the partitions that their keys can go to`()
        throws
    {
        let old = (0..<4).map { checkpoint(["ids:900.\($0).900": [.string("n\($0)")]]) }
        let more = try divide(old, to: 8)
        #expect(more.problems == [])
        for (number, slices) in more.partitions.enumerated() {
            #expect(try JSONText.parse(try #require(slices["ids:900.0.900"])) == [.string("n\(number % 4)")])
        }
        // Of 6 and 4 partitions, keys of a partition keep only whether its number is even.
        let others = try divide(old, to: 6)
        for (number, slices) in others.partitions.enumerated() {
            #expect(
                try JSONText.parse(try #require(slices["ids:900.0.900"]))
                    == (number % 2 == 0 ? ["n0", "n2"] : ["n1", "n3"]))
        }
        for key in (0..<200).map({ "k\($0)" }) {
            #expect(home(key, in: 4) % 2 == home(key, in: 6) % 2)
        }
        let many = Value.array((0..<2_500).map { .string("\($0)") })
        let full = [checkpoint(["ids:900.7.900": many])] + (0..<3).map { _ in checkpoint([:]) }
        #expect(try divide(full, to: 4_096).problems == [])
        #expect(
            try divide(full, to: 4_095).problems == [
                "an earlier version recorded the names (meta.id) of 2500 actions in the last 600 seconds without their keys, too many for each of 4095 partitions to know; resize to 4092, a multiple of 4, or try again in 500 seconds: this version records the keys, so writers need not stop"
            ])
    }

    @Test func `names without keys are known to all partitions as long as they count`() throws {
        let old = [
            checkpoint(["ids:390.4.390": ["old"], "ids:700.1.700": ["b", "a"]]),
            checkpoint(["ids:700.0.700": ["b"], "ids:900.7.900": ["c"]]),
        ]
        let division = try divide(old, to: 3)
        #expect(division.problems == [])
        for slices in division.partitions {
            #expect(
                slices.keys.filter { $0.hasPrefix("ids:") }.sorted() == ["ids:700.0.700", "ids:900.0.900"])
            #expect(try JSONText.parse(try #require(slices["ids:700.0.700"])) == ["a", "b"])
        }
        let many = Value.array((0..<2_500).map { .string("\($0)") })
        let tooMany =
            "an earlier version recorded the names (meta.id) of 2500 actions in the last 600 seconds without their keys, too many for each of 4096 partitions to know; try again in 500 seconds: this version records the keys, so writers need not stop"
        #expect(
            try divide([checkpoint(["ids:900.7.900": many])], to: 4_096, time: 1_000).problems == [tooMany])
        #expect(
            try divide([checkpoint(["ids:900.7.900": many, "book": [:]])], to: 4_096).problems == [
                "partition 0: /book: expected what a host writes there, found an object; use the version that wrote it",
                tooMany,
            ])
    }
}
