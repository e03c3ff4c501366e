// SPDX-License-Identifier: Apache-2.0

private import GatehouseManifest
internal import GatehouseSDK

extension HostPlan {
    /// What holds a run of the plan open, and what ends it, as one sentence without a full stop; the command line may add inputs.
    package var ending: String {
        var holders = instances.flatMap { instance in
            (instance.listeningPlaces + instance.grantedPlaces).map { "\(instance.id) listens at \($0)" }
        }
        for listen in configuration.ingress.listen {
            switch listen.place {
            case .path(let path): holders.append("writers connect to \(path)")
            case .handedOver(let name):
                holders.append(
                    "writers connect to \(name.map { "the socket \($0) of" } ?? "the sockets of") systemd")
            }
        }
        holders += configuration.ingress.tail.map { "\($0.file) is followed" }
        if let cluster = configuration.cluster {
            holders.append("it is a member of the cluster \(cluster.name)")
        }
        guard !holders.isEmpty else { return "a run ends when its input does" }
        return holders.joined(separator: ", ") + ": a run continues until it is asked to end"
    }
}

extension PlannedInstance {
    /// Where the host lets it listen in its worker, but for what its settings say already. None while it is in quarantine.
    fileprivate var grantedPlaces: [String] {
        guard quarantine == nil, runsInWorker else { return [] }
        let places = listeningPlaces
        return entry.grant.listeners.map { "\($0.address)" }.filter { !places.contains($0) }
    }

    /// Where it listens: the settings that its schema marks with `x-listens`, or their defaults. None while it is in quarantine.
    var listeningPlaces: [String] {
        guard quarantine == nil, let properties = manifest.settings?["properties"]?.objectValue else {
            return []
        }
        return properties.compactMap { name, schema in
            guard schema["x-listens"] == true else { return nil }
            return (entry.settings[name] ?? schema["default"])?.stringValue
        }
    }
}
