// SPDX-License-Identifier: Apache-2.0

public import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport

/// Finds the new partitions of the actions that wait in the old ones; belongs to one thread.
///
/// The actions of a key stand in one partition in their order, so it is enough to take partition by partition.
public struct WaitingActions: ~Copyable {
    /// What becomes of an action.
    public enum Fate: Equatable, Sendable {
        /// It goes to a partition.
        case moved(to: Int)
        /// It was there before: a writer has sent it twice.
        case repeated
    }

    /// Where actions belong, before and after.
    private var keys: (old: ActionKeys, new: ActionKeys)
    /// How many partitions there will be.
    private let count: Int
    /// How far the sources of the partition in hand are.
    private var seen = SeenOrigins()
    /// Reads actions.
    private var lines = RecordedLines()
    /// Actions that stand in other partitions than those of their keys: the first of them, and how many.
    private var strays: (sentence: String, count: Int)?

    /// Finds partitions.
    ///
    /// - Parameters:
    ///   - cluster: what the configuration says about the cluster, with the new number of partitions.
    ///   - count: the old number.
    public init(of cluster: ClusterConfiguration, from count: Int) {
        var before = cluster
        before.partitions = count
        keys = (ActionKeys(before), ActionKeys(cluster))
        self.count = cluster.partitions
    }

    /// Begins with a partition, behind its checkpoint, whose division has shown that it can be read.
    public mutating func begin(_ checkpoint: PartitionDivision.Checkpoint) {
        seen = (try? PartitionSlices.book(checkpoint.slices).seen) ?? SeenOrigins()
    }

    /// Takes the next action of a partition.
    public mutating func take(_ entry: borrowing ClusterEntry, of partition: Int) -> Fate {
        if let origin = entry.origin, !seen.take(origin, at: ClusterTime(0)) { return .repeated }
        // What is no action has no key; whoever has its partition sets it aside.
        guard let action = unsafe lines.action(entry.action) else { return .moved(to: partition % count) }
        let home = keys.old.partition(of: action)
        if home != partition {
            let sentence =
                strays?.sentence
                ?? "\(Quotation.bare(action.type.name)) in partition \(partition), at \(entry.offset)"
            strays = (sentence, (strays?.count ?? 0) + 1)
        }
        return .moved(to: keys.new.partition(of: action) ?? partition % count)
    }

    /// What stands against it, in a sentence; nil for nothing.
    public var problem: String? {
        strays.map { sentence, count in
            "\(Counted.text(count, "action")) \(count == 1 ? "waits" : "wait") in another partition than that of the key, as \(sentence) does, because it was meant for all partitions, or the keys in plugins.json are others than then; let a member process what waits first"
        }
    }
}
