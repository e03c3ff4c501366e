// SPDX-License-Identifier: Apache-2.0

/// The partitions whose instances a member makes, or has made, before it acquires them.
struct PartitionPreparations {
    /// Those whose instances are being made.
    private var making: Set<Int> = []
    /// Those whose instances wait for the partition.
    private var made: Set<Int> = []

    /// Whether the instances of a partition are made.
    func areDone(for partition: Int) -> Bool { made.contains(partition) }

    /// Whether instances of another partition may be made at the same time.
    func hasRoom(for most: Int) -> Bool { making.count < most }

    /// Begins to make the instances of a partition; false where that goes on already, or for too many others.
    mutating func begin(_ partition: Int, atMost most: Int) -> Bool {
        hasRoom(for: most) && making.insert(partition).inserted
    }

    /// Records that instances are made; false for a partition that does not come any more.
    mutating func end(_ partition: Int) -> Bool {
        guard making.remove(partition) != nil else { return false }
        made.insert(partition)
        return true
    }

    /// Takes the instances of a partition that has come.
    mutating func use(_ partition: Int) { made.remove(partition) }

    /// Forgets partitions; returns those of them for which something was made or is being made.
    mutating func drop(where isOver: (Int) -> Bool) -> Set<Int> {
        guard !making.isEmpty || !made.isEmpty else { return [] }
        let dropped = making.union(made).filter(isOver)
        making.subtract(dropped)
        made.subtract(dropped)
        return dropped
    }
}
