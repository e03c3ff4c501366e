// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
public import GatehouseSDK

/// What there is to know about one instance of a running host; of one in partitions, about all of it that a member has.
public struct InstanceStatus: Equatable, Sendable {
    /// In how many partitions an instance is.
    public struct Partitions: Equatable, Sendable {
        /// How many they are.
        public var count: Int
        /// In how many of them its gate is open.
        public var active: Int
    }

    /// Its id in the configuration.
    public let id: String
    /// The id of its plugin.
    public let plugin: String
    /// The version of its plugin.
    public let version: String
    /// The file that it was loaded from; nil for one that is linked in.
    public let library: String?
    /// The position of its gate; of one in partitions, active only if it is so in all of them.
    public private(set) var gate: GateState
    /// The place of the state that moves its gate; nil for a gate that actions move.
    public let follows: JSONPointer?
    /// Where its part of the state is; nil for one without.
    public let slice: JSONPointer?
    /// Why its library is in quarantine; nil when it is not.
    public let quarantine: String?
    /// Where its slice stands meanwhile, and what it has missed; nil when it is not in quarantine.
    public let standing: Standing?
    /// What it has done, and how it is.
    public private(set) var counts: InstanceCounts
    /// In how many partitions of a member it is, and in how many of those its gate is open; nil for one that is in none.
    public private(set) var partitions: Partitions?

    /// What an instance says of itself; called in the drain.
    init(_ instance: Instance) {
        id = instance.id
        plugin = instance.planned.manifest.id
        version = "\(instance.planned.manifest.version)"
        library = instance.planned.library?.path
        gate = instance.gate
        follows = instance.statePointer
        slice = instance.slice.isEmpty ? nil : instance.planned.entry.slice
        quarantine = instance.planned.quarantine
        standing = instance.standing?.value
        counts = InstanceCounts(instance)
    }

    /// The status as the control socket tells it; every member is always there, but for those of `InstanceCounts` that need not
    /// be.
    var value: Value {
        var members: Members = [
            "id": .string(id), "plugin": .string(plugin), "version": .string(version),
            "library": library.map { .string($0) } ?? .null, "gate": .string(gateWord),
            "follows": follows.map { .string("\($0)") } ?? .null,
            "slice": slice.map { .string("\($0)") } ?? .null,
        ]
        members["partitions"] = partitions.map { ["count": Value($0.count), "active": Value($0.active)] }
        members["quarantine"] = quarantine.map { .string($0) }
        members["standing"] = standing?.members
        for (name, value) in counts.value.objectValue ?? [:] { members[name] = value }
        return .object(members)
    }

    /// The position of its gate in a word, which is `mixed` for one that is open in some partitions only.
    var gateWord: String {
        guard let partitions, (1..<partitions.count).contains(partitions.active) else { return gate.word }
        return "mixed"
    }

    /// The same instance as one that is in a partition.
    var inPartition: InstanceStatus {
        var status = self
        status.partitions = Partitions(count: 1, active: gate == .active ? 1 : 0)
        return status
    }

    /// Adds up what it is and has done in another partition.
    mutating func add(_ other: InstanceStatus) {
        guard var sum = partitions else { return }
        sum.count += 1
        if other.gate == .active { sum.active += 1 } else { gate = .bypass }
        partitions = sum
        add(other.counts)
    }

    /// Adds what it has counted in another store.
    mutating func add(_ other: InstanceCounts) { counts.add(other) }
}
