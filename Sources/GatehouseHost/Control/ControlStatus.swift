// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// What there is to know about a running host at one moment, between two actions.
public struct ControlStatus: Equatable, Sendable {
    /// The name by which operators call the host.
    public var name = ""
    /// The number of its process.
    public var process = 0
    /// The version of the host.
    public var version = ""
    /// How long it has been there.
    public var uptime = Duration.zero
    /// The number of the generation, from 1.
    public var generation = 1
    /// Actions processed, those that instances emitted included.
    public var actions = 0
    /// Actions and other work that wait for their turn.
    public var waiting = 0
    /// Effects that are running.
    public var effects = 0
    /// Lines of input, blank ones included.
    public var lines = 0
    /// Lines that are no action.
    public var rejected = 0
    /// What the run reads, in the order in which it was named.
    public var inputs: [InputStatus] = []
    /// What is mapped; nil for plugins that are linked in.
    public var images: MappedImages?
    /// Outputs that were dropped because one input led to too many.
    public var cutOutputs = 0
    /// Outputs that were dropped because their instances had gone.
    public var lateOutputs = 0
    /// Actions that came to nothing, and are kept.
    public var deadLetters = 0
    /// Those that had to go because there were too many.
    public var forgottenLetters = 0
    /// What is known of deaths; nil where nobody remembers them.
    public var crashes: CrashAccount?
    /// What is known of the journal; nil where there is none.
    public var journal: JournalStatus?
    /// The instances, in chain order.
    public var instances: [InstanceStatus] = []
    /// What became of the last look at the configuration; nil before the first.
    public var lastReload: Value?
    /// Why the last good generation runs in the place of the one that the configuration describes; nil where that one runs.
    public var degraded: String?
    /// What is known of the cluster; nil where there is none.
    public var cluster: ClusterAccount?
    /// What is known of the clients of the control socket; nil where there is none.
    public var clients: ControlClients?

    /// A host that has done nothing.
    public init() {}

    /// The status as the control socket tells it.
    public var value: Value {
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

    /// Adds up what a partition of a member has done.
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

    /// Adds up what stores have counted that are gone. An instance that is in no store any more is not told of.
    mutating func add(_ gone: HostCounts) {
        actions += gone.actions
        cutOutputs += gone.cutOutputs
        lateOutputs += gone.lateOutputs
        for counts in gone.instances {
            guard let place = instances.firstIndex(where: { $0.id == counts.instance }) else { continue }
            instances[place].add(counts)
        }
    }

    /// Puts the instances into the order of the configuration.
    mutating func sort(by ids: [String]) {
        let places = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        instances.sort { places[$0.id] ?? .max < places[$1.id] ?? .max }
    }
}

/// What is known of the clients of a control socket.
public struct ControlClients: Equatable, Sendable {
    /// The number of clients that are connected.
    public var connected = 0
    /// Those of them that watch.
    public var watching = 0
    /// Those that watched and did not read, and were let go of, since the start.
    public var dropped = 0

    /// The numbers of a host without clients.
    public init() {}

    /// The numbers as members.
    var value: Value {
        ["connected": Value(connected), "watching": Value(watching), "dropped": Value(dropped)]
    }
}
