// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
package import GatehouseSDK
internal import GatehouseSupport

/// The plan for programs.
extension HostPlan {
    /// What is wrong and what is doubtful, with a summary of what would run.
    package var report: Value {
        var summary: Members = [
            "ok": .bool(!diagnostics.isFailure), "instances": Value(instances.count),
            "libraries": Value(libraryCount),
        ]
        summary["placements"] = placementsJSON
        if !shadows.isEmpty { summary["shadows"] = Value(shadows.count) }
        return .object(Members(Array(summary) + Array(diagnostics.json)))
    }

    /// How many library files the instances and their shadows come from.
    package var libraryCount: Int {
        Set((instances + shadows.compactMap(\.planned)).compactMap { $0.library?.path }).count
    }

    /// The instances in chain order, and the libraries that take no part.
    package var listing: Value {
        let entries = entries.map { entry -> Value in
            switch entry.outcome {
            case .accepted(let instance): json(of: instance)
            case .refused(let refusal):
                [
                    "id": .string(entry.id), "optional": .bool(entry.isOptional),
                    "library": .string(refusal.library ?? ""),
                    "refused": .array(refusal.sentences.map(Value.string)),
                ]
            case .missing(let reason):
                [
                    "id": .string(entry.id), "optional": .bool(entry.isOptional),
                    "missing": .string(reason),
                ]
            }
        }
        var members: Members = ["instances": .array(entries), "spares": .array(spares.map(\.json))]
        if !shadows.isEmpty { members["shadows"] = .array(shadows.map(\.json)) }
        return .object(members)
    }

    /// The chain, and routes of it.
    package func routing(_ routes: [PlannedRoute]) -> Value {
        let chain = instances.map { instance -> Value in
            var members: Members = [
                "id": .string(instance.id), "plugin": .string(instance.manifest.id),
                "version": .string(instance.manifest.version.description), "gate": gate(of: instance),
            ]
            members["scope"] = scope(of: instance)
            for (name, value) in instance.placement.members { members[name] = value }
            return .object(members)
        }
        let routes = routes.map { route -> Value in
            [
                "type": .string(route.type),
                "emittedBy": .array(route.senders.map { .string($0.id) }),
                "route": .array(route.stops.map(json)),
            ]
        }
        return ["chain": .array(chain), "routes": .array(routes)]
    }

    /// An instance that takes part.
    private func json(of instance: PlannedInstance) -> Value {
        var members: Members = [
            "id": .string(instance.id), "optional": .bool(instance.isOptional),
            "plugin": .string(instance.manifest.id),
            "version": .string(instance.manifest.version.description),
            "summary": .string(instance.manifest.summary),
        ]
        if let library = instance.library {
            members["library"] = .string(library.path)
            members["sha256"] = library.digest.map { .string($0.hex) }
        }
        if let endorsement = instance.library?.endorsement { members["trust"] = endorsement.value }
        members["gate"] = gate(of: instance)
        members["hears"] = .array(
            instance.heard.map { ["type": .string($0.global), "as": .string($0.local)] })
        members["emits"] = .array(instance.emitted.map(Value.string))
        members["slice"] = instance.slice.map { .string($0.description) } ?? .null
        members["keepsState"] = instance.keepsState.map(Value.bool) ?? .null
        members["permissions"] = .array(instance.manifest.permissions.map(Value.string))
        members["scope"] = scope(of: instance)
        for (name, value) in instance.placement.members { members[name] = value }
        if instance.runsInWorker { members["grant"] = instance.entry.grant.value }
        return .object(members)
    }

    /// Where an instance is; nil where there is no cluster.
    private func scope(of instance: PlannedInstance) -> Value? {
        configuration.cluster.map { _ in .string(instance.scope.rawValue) }
    }

    /// One instance on the way of a type.
    private func json(of stop: PlannedRoute.Stop) -> Value {
        var members: Members = ["instance": .string(stop.instance.id)]
        members["as"] = stop.local.map(Value.string)
        members["moves"] = .bool(stop.isControl)
        members["intercepts"] = .bool(stop.intercepts)
        members["gate"] = gate(of: stop.instance)
        return .object(members)
    }

    /// What moves a gate, and how it stands at the start; null where only the start can tell.
    private func gate(of instance: PlannedInstance) -> Value {
        let start = start(of: instance).map { Value.string($0.rawValue) } ?? .null
        return switch instance.entry.gate {
        case .active, .bypass: ["kind": "fixed", "start": start]
        case .action(let control, let at, _, _, _):
            [
                "kind": "action", "type": .string(control), "at": .string(at.description),
                "start": start,
            ]
        case .state(let pointer): ["kind": "state", "at": .string(pointer.description), "start": start]
        }
    }
}

extension HostPlan.Spare {
    /// The library as programs are told of it.
    fileprivate var json: Value {
        var members: Members = ["library": .string(library.path)]
        members["plugin"] = library.pluginID.map(Value.string)
        members["version"] = (library.verdict.note?.manifest.version.description).map(Value.string)
        members["refused"] = .array(reasons.map(Value.string))
        return .object(members)
    }
}

extension Endorsement {
    /// Who vouches for a library, for programs.
    package var value: Value {
        switch self {
        case .host: return ["by": "host"]
        case .key(let signed):
            return [
                "by": "key", "name": .string(signed.name), "key": .string(signed.key.description),
                "serial": Value(signed.serial),
            ]
        case .nobody(.unsigned): return ["by": "nobody"]
        case .nobody(.unknownKey(let id)): return ["by": "nobody", "key": .string(id.description)]
        }
    }
}
