// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// A request to a child to reduce missed actions.
struct CatchUpRequest: Equatable, Sendable {
    /// One instance in quarantine.
    struct Instance: Equatable, Sendable {
        /// Its id.
        let id: String
        /// The state to continue from; nil without one.
        let state: VersionedState?
        /// The parts of the journal in which its gate was open.
        let open: [ClosedRange<UInt64>]
        /// The number of actions missed in those parts.
        let missed: Int
    }

    /// Where to find journal and plugins.
    let source: HistorySource
    /// The instances that catch up.
    let instances: [Instance]

    /// Creates a request from its parts.
    init(source: HistorySource, instances: [Instance]) {
        self.source = source
        self.instances = instances
    }

    /// The request as the child reads it.
    var bytes: [UInt8] {
        let instances = instances.map { instance -> Value in
            let standing = Standing(at: 0, missed: instance.missed, open: instance.open)
            var members: Members = ["id": .string(instance.id), "standing": standing.value]
            members["state"] = instance.state?.written
            return .object(members)
        }
        let request: Value = ["source": source.value, "instances": .array(instances)]
        return Array(request.json().utf8)
    }

    /// Reads a request; nil for anything a host does not write.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes),
            let source = value["source"].flatMap(HistorySource.init),
            let instances = value["instances"]?.arrayValue
        else { return nil }
        var read: [Instance] = []
        for instance in instances {
            guard let id = instance["id"]?.stringValue,
                let standing = instance["standing"].flatMap(Standing.init), let open = standing.open
            else { return nil }
            read.append(
                Instance(
                    id: id, state: instance["state"].flatMap(VersionedState.init(written:)), open: open,
                    missed: standing.missed))
        }
        self.init(source: source, instances: read)
    }
}
