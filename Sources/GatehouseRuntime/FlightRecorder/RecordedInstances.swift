// SPDX-License-Identifier: Apache-2.0

/// The instances of a flight recorder by their numbers, which those share that are the same in several stores: a member's partitions have the
/// same instances, each once.
struct RecordedInstances {
    /// What makes two instances the same; an object, because it stands in the table and in the list.
    final class Instance: Hashable, Sendable {
        /// The id in the configuration.
        let id: String
        /// The id of the plugin.
        let plugin: String
        /// Names the bytes of the plugin, in hexadecimal; empty for one that is linked in.
        let digest: String
        /// Whether it belongs to the store of a partition.
        let isInPartition: Bool

        /// A use of a plugin.
        init(id: String, plugin: String, digest: String, isInPartition: Bool) {
            self.id = id
            self.plugin = plugin
            self.digest = digest
            self.isInPartition = isInPartition
        }

        static func == (one: Instance, other: Instance) -> Bool {
            (one.id, one.plugin, one.digest, one.isInPartition)
                == (other.id, other.plugin, other.digest, other.isInPartition)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    /// The numbers of those that are there.
    private var numbers: [Instance: Int] = [:]
    /// Which instance has a number, and how many stores have it; nil for a number that is free.
    private var entries: [(instance: Instance, count: Int)?] = []
    /// The numbers that are free again.
    private var free: [Int] = []

    /// No instances.
    init() {}

    /// Enters an instance of a store; gives its number, and whether it has come with this one.
    mutating func enter(_ instance: Instance) -> (number: Int, isNew: Bool) {
        if let number = numbers[instance] {
            entries[number]?.count += 1
            return (number, false)
        }
        let number = free.popLast() ?? entries.count
        if number == entries.count { entries.append(nil) }
        entries[number] = (instance, 1)
        numbers[instance] = number
        return (number, true)
    }

    /// Leaves out the instance of a store; says whether it was the last with its number.
    mutating func leave(_ number: Int) -> Bool {
        guard let (instance, count) = entries[number] else { return false }
        entries[number]?.count = count - 1
        guard count == 1 else { return false }
        entries[number] = nil
        numbers[instance] = nil
        free.append(number)
        return true
    }
}
