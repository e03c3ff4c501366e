// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Finds the new partitions of the actions waiting in the old ones; belongs to one thread.
///
/// The actions of a key are all in one partition in their order, so going partition by partition suffices.
struct WaitingActions: ~Copyable {
    /// The old and new partitions of actions.
    private var keys: (old: ActionKeys, new: ActionKeys)
    /// The new number of partitions.
    private let count: Int
    /// The positions of sources in the current partition.
    private var seen = SeenOrigins()
    /// Parses actions.
    private var lines = RecordedLines()
    /// Actions in other partitions than those of their keys: the first one, and how many.
    private var strays: (sentence: String, count: Int)?

    /// Creates a finder of partitions.
    ///
    /// - Parameters:
    ///   - cluster: the configuration of the cluster, with the new number of partitions.
    ///   - count: the old number.
    init(of cluster: ClusterConfiguration, from count: Int) {
        var before = cluster
        before.partitions = count
        keys = (ActionKeys(before), ActionKeys(cluster))
        self.count = cluster.partitions
    }

    /// Begins a partition after its checkpoint, which the division has already parsed.
    mutating func begin(_ checkpoint: PartitionDivision.Checkpoint) {
        seen = (try? PartitionSlices.recordedLog(checkpoint.slices).seen) ?? SeenOrigins()
    }

    /// Takes the next action of a partition; returns its new partition, nil for a duplicate that a writer has sent twice.
    mutating func take(_ entry: borrowing ClusterEntry, of partition: Int) -> Int? {
        if let origin = entry.origin, !seen.take(origin, at: ClusterTime(0)) { return nil }
        // A malformed action has no key; the owner of its partition skips it.
        guard let action = unsafe lines.action(entry.action) else { return partition % count }
        let home = keys.old.partition(of: action)
        if home != partition {
            let sentence =
                strays?.sentence
                ?? "\(Quotation.bare(action.type.name)) in partition \(partition), at \(entry.offset)"
            strays = (sentence, (strays?.count ?? 0) + 1)
        }
        return keys.new.partition(of: action) ?? partition % count
    }

    /// A sentence about the problem; nil for none.
    var problem: String? {
        strays.map { sentence, count in
            "\(Counted.text(count, "action")) \(count == 1 ? "waits" : "wait") in another partition than that of the key, as \(sentence) does, because it was meant for all partitions, or the keys in plugins.json have changed since; let a member process the waiting actions first"
        }
    }
}
