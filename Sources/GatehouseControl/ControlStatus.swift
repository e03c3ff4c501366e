// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// The status of a running host at one moment.
struct ControlStatus {
    /// The host's name for operators.
    var name = ""
    /// The process id.
    var process = 0
    /// The version of the host.
    var version = ""
    /// The time since the host started.
    var uptime = Duration.zero
    /// Lines of input, blank ones included.
    var lines = 0
    /// Lines that are not actions.
    var rejected = 0
    /// The inputs of the run, in the order they were named.
    var inputs: [InputStatus] = []
    /// The host's store; for a member of a cluster, with its partitions.
    var store = StoreStatus()
    /// How the shadows are doing, in the order of the configuration.
    var shadows: [ShadowStatus] = []
    /// Facts about crashes; nil where none are recorded.
    var crashes: CrashAccount?
    /// The cluster's account; nil without a cluster.
    var cluster: ClusterAccount?
    /// What was done with spans; nil for a host that has never made any.
    var spans: SpanExporter.Counts?
    /// Facts about the clients of the control socket; nil without one.
    var clients: ControlClients?

    /// The status as the control socket writes it.
    var value: Value {
        var members: Members = [
            "name": .string(name), "pid": Value(process), "version": .string(version),
            "uptime": .double((uptime / .milliseconds(1)).rounded() / 1_000),
            "generation": Value(store.generation), "actions": Value(store.actions),
            "waiting": Value(store.waiting), "effects": Value(store.effects),
            "input": ["lines": Value(lines), "rejected": Value(rejected)],
            "inputs": .array(inputs.map(\.value)), "cutOutputs": Value(store.cutOutputs),
            "lateOutputs": Value(store.lateOutputs), "deadLetters": Value(store.deadLetters),
            "forgottenLetters": Value(store.forgottenLetters),
            "instances": .array(store.instances.map(\.value)),
            "children": Confinement.level.value, "workers": store.limits.value,
        ]
        if !shadows.isEmpty { members["shadows"] = .array(shadows.map(\.summary)) }
        members["crashes"] = crashes?.value
        members["journal"] = store.journal?.value
        members["images"] = store.images?.value
        members["cluster"] = cluster?.value
        members["lastReload"] = store.lastReload
        members["degraded"] = store.degraded.map { .string($0) }
        members["spans"] = spans.map { ["sent": Value($0.sent), "lost": Value($0.lost)] }
        members["clients"] = clients?.value
        return .object(members)
    }
}

/// The status of a store between two actions; for a member of a cluster, the sum over its stores.
struct StoreStatus {
    /// The number of the generation, from 1.
    var generation = 1
    /// Actions processed, including those that instances emitted.
    var actions = 0
    /// Actions and other work waiting for their turn.
    var waiting = 0
    /// Running effects.
    var effects = 0
    /// Outputs dropped because one input led to too many.
    var cutOutputs = 0
    /// Outputs dropped because their instances had gone.
    var lateOutputs = 0
    /// Dead letters kept.
    var deadLetters = 0
    /// Dead letters dropped because there were too many.
    var forgottenLetters = 0
    /// The instances, in chain order.
    var instances: [InstanceStatus] = []
    /// The mapped images; nil for plugins that are linked in.
    var images: MappedImages?
    /// What limits its workers.
    var limits = WorkerLimits.trial
    /// The journal's status; nil without one.
    var journal: JournalStatus?
    /// The result of the last look at the configuration; nil before the first.
    var lastReload: Value?
    /// Why the last good generation runs instead of the configured one; nil where the configured one runs.
    var degraded: String?

    /// Adds the counts of a member's partition.
    mutating func add(_ partition: StoreStatus) {
        actions += partition.actions
        waiting += partition.waiting
        effects += partition.effects
        cutOutputs += partition.cutOutputs
        lateOutputs += partition.lateOutputs
        for instance in partition.instances {
            if let place = instances.firstIndex(where: { $0.id == instance.id }) {
                instances[place].add(instance)
            } else {
                instances.append(instance.inPartition)
            }
        }
    }

    /// Adds the counts of stores that have gone, except for instances that no store has any more.
    mutating func add(_ gone: HostCounts) {
        actions += gone.actions
        cutOutputs += gone.cutOutputs
        lateOutputs += gone.lateOutputs
        for counts in gone.instances {
            guard let place = instances.firstIndex(where: { $0.id == counts.instance }) else { continue }
            instances[place].add(counts)
        }
    }

    /// Sorts the instances in the order of the configuration.
    mutating func sort(by ids: [String]) {
        let places = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        instances.sort { places[$0.id] ?? .max < places[$1.id] ?? .max }
    }
}

/// Facts about the clients of a control socket.
struct ControlClients {
    /// The number of connected clients.
    var connected = 0
    /// The number of connected clients that watch.
    var watching = 0
    /// The number of watching clients dropped since the start for not reading.
    var dropped = 0

    /// The facts as JSON members.
    var value: Value {
        ["connected": Value(connected), "watching": Value(watching), "dropped": Value(dropped)]
    }
}
