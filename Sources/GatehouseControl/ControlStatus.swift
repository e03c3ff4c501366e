// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK

/// The status of a running host at one moment, between two actions.
struct ControlStatus: Equatable, Sendable {
    /// The host's name for operators.
    var name = ""
    /// The process id.
    var process = 0
    /// The version of the host.
    var version = ""
    /// The time since the host started.
    var uptime = Duration.zero
    /// The number of the generation, from 1.
    var generation = 1
    /// Actions processed, including those that instances emitted.
    var actions = 0
    /// Actions and other work waiting for their turn.
    var waiting = 0
    /// Running effects.
    var effects = 0
    /// Lines of input, blank ones included.
    var lines = 0
    /// Lines that are not actions.
    var rejected = 0
    /// The inputs of the run, in the order they were named.
    var inputs: [InputStatus] = []
    /// The mapped images; nil for plugins that are linked in.
    var images: MappedImages?
    /// Outputs dropped because one input led to too many.
    var cutOutputs = 0
    /// Outputs dropped because their instances had gone.
    var lateOutputs = 0
    /// Dead letters kept.
    var deadLetters = 0
    /// Dead letters dropped because there were too many.
    var forgottenLetters = 0
    /// Facts about crashes; nil where none are recorded.
    var crashes: CrashAccount?
    /// The journal's status; nil without one.
    var journal: JournalStatus?
    /// The instances, in chain order.
    var instances: [InstanceStatus] = []
    /// The result of the last look at the configuration; nil before the first.
    var lastReload: Value?
    /// Why the last good generation runs instead of the configured one; nil where the configured one runs.
    var degraded: String?
    /// The cluster's account; nil without a cluster.
    var cluster: ClusterAccount?
    /// Facts about the clients of the control socket; nil without one.
    var clients: ControlClients?

    /// Creates the status of a host that has done nothing.
    init() {}

    /// The status as the control socket writes it.
    var value: Value {
        var members: Members = [
            "name": .string(name), "pid": Value(process), "version": .string(version),
            "uptime": .double((uptime / .milliseconds(1)).rounded() / 1_000), "generation": Value(generation),
            "actions": Value(actions), "waiting": Value(waiting), "effects": Value(effects),
            "input": ["lines": Value(lines), "rejected": Value(rejected)],
            "inputs": .array(inputs.map(\.value)), "cutOutputs": Value(cutOutputs),
            "lateOutputs": Value(lateOutputs), "deadLetters": Value(deadLetters),
            "forgottenLetters": Value(forgottenLetters), "instances": .array(instances.map(\.value)),
        ]
        members["crashes"] = crashes?.value
        members["journal"] = journal?.value
        members["images"] = images?.value
        members["cluster"] = cluster?.value
        members["lastReload"] = lastReload
        members["degraded"] = degraded.map { .string($0) }
        members["clients"] = clients?.value
        return .object(members)
    }

    /// Adds the counts of a member's partition.
    mutating func add(_ partition: ControlStatus) {
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
struct ControlClients: Equatable, Sendable {
    /// The number of connected clients.
    var connected = 0
    /// The number of connected clients that watch.
    var watching = 0
    /// The number of watching clients dropped since the start for not reading.
    var dropped = 0

    /// Creates the facts of a host without clients.
    init() {}

    /// The facts as JSON members.
    var value: Value {
        ["connected": Value(connected), "watching": Value(watching), "dropped": Value(dropped)]
    }
}
