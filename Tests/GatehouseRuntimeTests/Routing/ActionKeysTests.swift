// SPDX-License-Identifier: Apache-2.0

import CAllocations
import GatehouseCluster
import GatehouseManifest
import GatehouseSDK
import GatehouseValue
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct ActionKeysTests {
    /// What finding a partition may allocate; the ceiling holds in release builds.
    #if DEBUG
        private static let allowedForEachAction = 1
    #else
        private static let allowedForEachAction = 0
    #endif

    /// The keys of a cluster with these lines in `key`.
    private func keys(_ lines: KeyValuePairs<String, String> = [:], partitions: Int = 64) throws -> ActionKeys
    {
        ActionKeys(
            ClusterConfiguration(
                engine: "redis://a", name: "a", partitions: partitions,
                keys: try lines.map { pattern, place in
                    .init(types: try #require(TypePattern(pattern)), place: try JSONPointer(place))
                }))
    }

    @Test(arguments: [
        ("orders/placed", #"{"order": "o-1"}"#, "o-1"), ("orders/placed", #"{"order": 7}"#, "7"),
        ("orders/placed", #"{"order": "7"}"#, "7"), ("orders/placed", #"{"order": null}"#, "null"),
        ("orders/placed", #"{"order": {"b": 1, "a": [2]}}"#, #"{"b":1,"a":[2]}"#),
        ("orders/placed", #"{"order": ""}"#, ""), ("orders/placed", #"{}"#, "orders/placed"),
        ("orders/placed", "5", "orders/placed"), ("users/joined", #""ann""#, "ann"),
        ("users/joined", #"{"id": 1}"#, #"{"id":1}"#), ("clock/tick", #"{"order": "o-1"}"#, "clock/tick"),
    ])
    func `the key is what is at the place of the type, or else the type`(
        type: String, payload: String, key: String
    ) throws {
        var keys = try keys(["orders/*": "/order", "users/joined": ""])
        let action = AnyAction(ActionType(type), payload: try JSONText.parse(payload))
        #expect(keys.key(of: action) == key)
        #expect(keys.partition(of: action) == PartitionHash.partition(of: key, in: 64))
        #expect(keys.partition(of: action) == PartitionHash.partition(of: key, in: 64), "a second time")
    }

    @Test func `an action without a payload has its type as the key`() throws {
        var keys = try keys(["*": ""])
        #expect(keys.key(of: AnyAction("orders/placed")) == "orders/placed")
        #expect(
            keys.partition(of: AnyAction("orders/placed"))
                == PartitionHash.partition(of: "orders/placed", in: 64))
    }

    @Test func `what is said to a host belongs to no partition`() throws {
        var keys = try keys(["*": ""])
        #expect(keys.partition(of: AnyAction("host/reload", payload: 1)) == nil)
        #expect(keys.partition(of: AnyAction("host/reload"), emittedIn: 3, isOwn: true) == nil)
        #expect(keys.hash(of: AnyAction("host/reload")) == nil)
    }

    @Test(arguments: [
        ("orders/placed", #"{"order": "o-1"}"#, "o-1"), ("orders/tick", #"{"id": "o-1"}"#, nil),
        ("clock/tick", #"{"id": "o-1"}"#, nil), ("clock/tick", "null", nil),
    ])
    func `what an instance says to itself stays, unless more than a star gives it a key`(
        type: String, payload: String, key: String?
    ) throws {
        var keys = try keys(["orders/*": "/order", "*": "/id"])
        let action = AnyAction(ActionType(type), payload: try JSONText.parse(payload))
        let home = 64
        #expect(
            keys.partition(of: action, emittedIn: home, isOwn: true)
                == key.map { PartitionHash.partition(of: $0, in: 64) } ?? home)
        #expect(keys.partition(of: action, emittedIn: home, isOwn: false) == keys.partition(of: action))
    }

    @Test func `where there is one partition everything belongs to it`() throws {
        var keys = try keys(["*": "/a"], partitions: 1)
        for number in 0..<100 {
            #expect(keys.partition(of: AnyAction("t", payload: ["a": Value(number)])) == 0)
        }
    }

    @Test func `many keys use all partitions, about equally`() throws {
        var keys = try keys(["t": "/a"], partitions: 8)
        var counts = [Int](repeating: 0, count: 8)
        for number in 0..<8_000 {
            let place = keys.partition(of: AnyAction("t", payload: ["a": .string("key-\(number)")]))
            counts[try #require(place)] += 1
        }
        #expect(counts.allSatisfy { (850...1_150).contains($0) }, "\(counts)")
    }

    @Test func `a type whose number another had is looked at anew`() throws {
        var keys = try keys(["even/*": "/a", "odd/*": ""])
        var looked = 0
        for round in 0..<200_000 {
            var name = (round.isMultiple(of: 2) ? "even/" : "odd/") + "\(round)"
            let arrived = name.withUTF8 { unsafe AnyAction(arriving: UnsafeRawBufferPointer($0)) }
            // All tests share the table, and others may fill it.
            guard let arrived else { continue }
            let action = withExtendedLifetime(arrived) { AnyAction(arrived.type, payload: ["a": 1]) }
            looked += 1
            let key = keys.key(of: action)
            guard key == (round.isMultiple(of: 2) ? "1" : #"{"a":1}"#) else {
                Issue.record("\(name) has the key \(key)")
                return
            }
        }
        #expect(looked > 100_000)
    }

    @Test func `the partition of a short text is found without an allocation`() throws {
        guard allocations_are_counted() else { return }
        var keys = try keys(["orders/*": "/order"])
        let tape = Tape.make(["customer": ["id": 1], "order": "o-12345"])
        let action = AnyAction("orders/placed", tape: tape.root, error: false, meta: nil)
        let expected = keys.partition(of: action)
        let before = allocations_of_this_thread()
        for _ in 0..<1_000 where keys.partition(of: action) != expected { Issue.record("another partition") }
        #expect(Int(allocations_of_this_thread() - before) <= 1_000 * Self.allowedForEachAction)
    }
}
