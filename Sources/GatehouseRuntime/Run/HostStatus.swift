// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// What a host tells of itself in its slice `/host`, made when somebody looks; in the drain.
struct HostStatus {
    /// The generation that runs.
    let generation: Generation

    /// The members of the slice.
    var value: Value {
        var members: Members = [
            "generation": Value(generation.number),
            "deadLetters": Value(generation.store.dependencies.letters.counts.kept),
            "instances": .object(Members(generation.instances.map { ($0.id, Self.value(of: $0)) })),
        ]
        members["degraded"] = generation.store.degraded.map { .string($0) }
        if let reload = generation.store.lastReload { members["lastReload"] = reload }
        return .object(members)
    }

    /// What is told of one instance.
    private static func value(of instance: Instance) -> Value {
        guard case .object(var members) = InstanceCounts(instance).value else { return .null }
        members["plugin"] = .string(instance.manifest.id)
        members["version"] = .string("\(instance.manifest.version)")
        members["gate"] = .string(instance.gate.word)
        members["quarantine"] = instance.planned.quarantine.map { .string($0) }
        members["standing"] = instance.standing?.value.members
        if !instance.slice.isEmpty { members["slice"] = .string("\(instance.slicePointer)") }
        return .object(members)
    }
}
