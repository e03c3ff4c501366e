// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseMember
@testable import GatehousePlan

/// Where actions go that wait in a cluster which gets another number of partitions.
@Suite(.timeLimit(.minutes(10))) struct WaitingActionsTests {
    private let cluster: ClusterConfiguration

    init() throws {
        cluster = ClusterConfiguration(
            engine: "redis://a", name: "shop", partitions: 5,
            keys: [.init(types: try #require(TypePattern("orders/*")), place: try JSONPointer("/order"))])
    }

    /// What becomes of the actions of a partition, one after the other.
    private func fates(
        _ entries: [(origin: String, action: String)], of partition: Int, behind book: String? = nil
    ) -> (fates: [Int?], problem: String?) {
        var actions = WaitingActions(of: cluster, from: 2)
        let slices = book.map { ["book": Array($0.utf8)] } ?? [:]
        actions.begin(.init(offset: .start, slices: slices))
        var fates: [Int?] = []
        for (number, entry) in entries.enumerated() {
            unsafe Array(entry.action.utf8).withUnsafeBytes { action in
                unsafe fates.append(
                    actions.take(
                        ClusterEntry(
                            offset: ClusterOffset(7, UInt64(number)), origin: ClusterOrigin(entry.origin),
                            action: action),
                        of: partition))
            }
        }
        return (fates, actions.problem)
    }

    /// An action with a key.
    private func action(_ key: String) -> String {
        #"{"type":"orders/placed","payload":{"order":"\#(key)"}}"#
    }

    @Test func `an action goes to the partition of its key`() {
        let keys = (0..<40).map { "E-\($0)" }.filter { PartitionHash.partition(of: $0, in: 2) == 1 }
        let (fates, problem) = fates(keys.map { ("", action($0)) }, of: 1)
        #expect(fates == keys.map { PartitionHash.partition(of: $0, in: 5) })
        #expect(problem == nil)
    }

    @Test func `what is there twice is dropped, also when the first one is before the checkpoint`() {
        let key = ["E-1", "E-2", "E-3"].first { PartitionHash.partition(of: $0, in: 2) == 0 } ?? ""
        let entries = ["a.1:0:4", "a.1:0:5", "a.1:0:5", "1:3:9", "1:2:10", "1:4:1"].map { ($0, action(key)) }
        let (fates, _) = fates(entries, of: 0, behind: #"{"inputs":1,"seen":{"a.1":[0,4,7,7]}}"#)
        let moved = PartitionHash.partition(of: key, in: 5)
        #expect(fates == [nil, moved, nil, moved, nil, moved])
    }

    @Test func `what is no action has no key, and goes on where somebody will skip it`() {
        let (fates, problem) = fates([("", "?"), ("", "")], of: 1)
        #expect(fates == [1, 1])
        #expect(problem == nil)
    }

    @Test
    func
        `an action that was meant for all partitions stands against it, as does one whose key was another then`()
    {
        let stray = (0...).lazy.map { "E-\($0)" }.first { PartitionHash.partition(of: $0, in: 2) == 1 } ?? ""
        #expect(
            fates([("", #"{"type":"host/gate/open","payload":"eu"}"#)], of: 1).problem
                == "1 action waits in another partition than that of the key, as host/gate/open in partition 1, at 7-0 does, because it was meant for all partitions, or the keys in plugins.json have changed since; let a member process the waiting actions first"
        )
        #expect(
            fates([("", action(stray)), ("", action(stray))], of: 0).problem
                == "2 actions wait in another partition than that of the key, as orders/placed in partition 0, at 7-0 does, because it was meant for all partitions, or the keys in plugins.json have changed since; let a member process the waiting actions first"
        )
    }
}
