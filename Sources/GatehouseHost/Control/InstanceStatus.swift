// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
public import GatehouseSDK

/// What there is to know about one instance of a running host.
public struct InstanceStatus: Equatable, Sendable {
    /// Its id in the configuration.
    public let id: String
    /// The id of its plugin.
    public let plugin: String
    /// The version of its plugin.
    public let version: String
    /// The file that it was loaded from; nil for one that is linked in.
    public let library: String?
    /// The position of its gate.
    public let gate: GateState
    /// The place of the state that moves its gate; nil for a gate that actions move.
    public let follows: JSONPointer?
    /// Where its part of the state is; nil for one without.
    public let slice: JSONPointer?
    /// Why its library is in quarantine; nil when it is not.
    public let quarantine: String?
    /// What it has done, and how it is.
    public let counts: InstanceCounts

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
        counts = InstanceCounts(instance)
    }

    /// The status as the control socket tells it; every member is always there, but for those of `InstanceCounts` that need not
    /// be.
    var value: Value {
        var members: Members = [
            "id": .string(id), "plugin": .string(plugin), "version": .string(version),
            "library": library.map { .string($0) } ?? .null, "gate": .string(gate.word),
            "follows": follows.map { .string("\($0)") } ?? .null,
            "slice": slice.map { .string("\($0)") } ?? .null,
        ]
        members["quarantine"] = quarantine.map { .string($0) }
        for (name, value) in counts.value.objectValue ?? [:] { members[name] = value }
        return .object(members)
    }
}
