// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// The status of one instance of a running host; for one in partitions, the sum over a member's partitions.
struct InstanceStatus {
    /// The partitions of an instance.
    struct Partitions {
        /// The number of partitions.
        var count: Int
        /// The number of partitions in which the gate is open.
        var active: Int
    }

    /// The instance's id in the configuration.
    let id: String
    /// The plugin's id.
    let plugin: String
    /// The plugin's version.
    let version: String
    /// What it was made from.
    let build: HourSample.Build
    /// The file it was loaded from; nil for one that is linked in.
    let library: String?
    /// Who vouches for it; nil where nobody has to.
    let trust: Value?
    /// The gate's position; across partitions, active only if active in all of them.
    private(set) var gate: GateState
    /// The place in the state that moves the gate; nil for a gate that actions move.
    let follows: JSONPointer?
    /// The place of the instance's slice; nil without one.
    let slice: JSONPointer?
    /// Why the library is in quarantine; nil when it is not.
    let quarantine: String?
    /// The standing of the slice during quarantine, and what it has missed; nil when not in quarantine.
    let standing: Standing?
    /// Where it runs, and why where the policy decided it.
    let placement: PlannedPlacement
    /// How its worker stands; nil for one that runs in the host.
    let worker: Value?
    /// The instance's counts and condition.
    private(set) var counts: InstanceCounts
    /// The partitions of a member that it is in, and in how many of them its gate is open; nil for one that is in none.
    private(set) var partitions: Partitions?

    /// Reads the status of an instance; called in the drain.
    init(_ instance: Instance) {
        id = instance.id
        plugin = instance.planned.manifest.id
        version = "\(instance.planned.manifest.version)"
        build = HourSample.Build(instance.planned)
        library = instance.planned.library?.path
        trust = instance.planned.library?.endorsement.map { endorsement in
            guard instance.planned.entry.sha256 != nil,
                case .object(var members) = endorsement.value
            else { return endorsement.value }
            members["pinned"] = true
            return .object(members)
        }
        gate = instance.gate
        follows = instance.statePointer
        slice = instance.slice.isEmpty ? nil : instance.planned.entry.slice
        quarantine = instance.planned.quarantine
        standing = instance.standing?.value
        placement = instance.planned.placement
        worker = instance.worker?.standing.value
        counts = InstanceCounts(instance)
    }

    /// The status as the control socket writes it; every member is always present, except the optional ones of
    /// `InstanceCounts`.
    var value: Value {
        var members: Members = [
            "id": .string(id), "plugin": .string(plugin), "version": .string(version),
            "library": library.map(Value.string) ?? .null, "gate": .string(gateWord),
            "follows": follows.map { .string("\($0)") } ?? .null,
            "slice": slice.map { .string("\($0)") } ?? .null, "placement": .string(placement.place.rawValue),
        ]
        for (name, value) in placement.reasonMembers { members[name] = value }
        members["trust"] = trust
        members["worker"] = worker
        members["partitions"] = partitions.map { ["count": Value($0.count), "active": Value($0.active)] }
        members["quarantine"] = quarantine.map { .string($0) }
        members["standing"] = standing?.members
        for (name, value) in counts.value.objectValue ?? [:] { members[name] = value }
        return .object(members)
    }

    /// The gate's position in a word; `mixed` if open in some partitions only.
    var gateWord: String {
        guard let partitions, (1..<partitions.count).contains(partitions.active) else { return gate.word }
        return "mixed"
    }

    /// The status as that of an instance in one partition.
    var inPartition: InstanceStatus {
        var status = self
        status.partitions = Partitions(count: 1, active: gate == .active ? 1 : 0)
        return status
    }

    /// Adds the status of the same instance in another partition.
    mutating func add(_ other: InstanceStatus) {
        guard var sum = partitions else { return }
        sum.count += 1
        if other.gate == .active { sum.active += 1 } else { gate = .bypass }
        partitions = sum
        add(other.counts)
    }

    /// Adds the counts of another store.
    mutating func add(_ other: InstanceCounts) { counts.add(other) }
}
