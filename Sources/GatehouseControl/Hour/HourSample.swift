// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// What the counters of a host say at one moment.
struct HourSample: Sendable {
    /// The position of a gate, as a number that fits in a column.
    enum Gate: UInt8 {
        /// Closed.
        case bypass
        /// Open.
        case active
        /// Open in some of a member's partitions only.
        case mixed

        /// The position in the words of `status`.
        var word: String {
            switch self {
            case .bypass: GateState.bypass.word
            case .active: GateState.active.word
            case .mixed: "mixed"
            }
        }
    }

    /// What an instance is made from.
    struct Build: Equatable {
        /// The version of its plugin.
        let version: SemanticVersion
        /// Names the bytes of its library; nil for a plugin that is linked in.
        var digest: Digest?

        /// Reads what an instance was planned from.
        init(_ planned: PlannedInstance) { (version, digest) = (planned.manifest.version, planned.digest) }

        /// One of a version.
        init(version: SemanticVersion, digest: Digest? = nil) {
            (self.version, self.digest) = (version, digest)
        }
    }

    /// The time of timed actions in the stages of an instance, in nanoseconds.
    struct Stages: Equatable {
        /// In its middlewares.
        var handle = 0
        /// In its reducer.
        var reduce = 0
        /// In what its middlewares want done when the reducers are through.
        var io = 0

        /// All of it.
        var all: Int { handle &+ reduce &+ io }
    }

    /// What the counters of an instance say; all of them grow until a reload replaces the instance.
    struct Instance: Sendable {
        /// The instance's id.
        let id: String
        /// Actions that it heard.
        var heard = 0
        /// Actions that it emitted.
        var emitted = 0
        /// Actions that it has not done, payloads that it could not read, and outputs that it may not emit.
        var failed = 0
        /// Actions whose way through it was timed.
        var timed = 0
        /// The time of these actions in its stages, in nanoseconds.
        var stages = Stages()
        /// The same in each of its rules, by name.
        var rules: [String: Int] = [:]
        /// The position of its gate.
        var gate = Gate.active
        /// How often its worker has ended unasked.
        var deaths = 0
        /// Whether its library is in quarantine.
        var isQuarantined = false
        /// What it is made from; nil where that is not known.
        var build: Build?
    }

    /// When it was taken, in seconds since 1970.
    var moment = UnixTime.now
    /// The same on a clock that is never set.
    var instant = ContinuousClock.now
    /// The number of the generation.
    var generation = 1
    /// Actions processed.
    var actions = 0
    /// Actions waiting for their turn.
    var waiting = 0
    /// Running effects.
    var effects = 0
    /// The resident memory of the process in bytes; nil where the system does not tell.
    var memory: Int?
    /// The instances, in chain order.
    var instances: [Instance] = []
}

extension HourSample {
    /// Reads the counters of a store, and nothing else; called in the drain.
    init(_ core: HostStore, in turn: Turn) {
        self.init(
            generation: turn.number, actions: turn.actions, waiting: core.queue.waiting,
            effects: core.queue.activity.running, instances: turn.instances.map(Instance.init))
    }

    /// Takes the counters from a status.
    init(_ status: StoreStatus) {
        self.init(
            generation: status.generation, actions: status.actions, waiting: status.waiting,
            effects: status.effects, instances: status.instances.map(Instance.init))
    }
}

extension HourSample.Instance {
    /// Reads the counters of an instance; called in the drain.
    init(_ instance: Instance) {
        self.init(InstanceCounts(instance))
        gate = instance.gate == .active ? .active : .bypass
        deaths = instance.worker?.standing.deaths ?? 0
        isQuarantined = instance.planned.quarantine != nil
        build = HourSample.Build(instance.planned)
    }

    /// Takes the counters from a status.
    init(_ status: InstanceStatus) {
        self.init(status.counts)
        gate = status.gateWord == "mixed" ? .mixed : status.gate == .active ? .active : .bypass
        deaths = status.worker?["deaths"]?.intValue ?? 0
        isQuarantined = status.quarantine != nil
        build = status.build
    }

    /// Takes the counts of an instance.
    private init(_ counts: InstanceCounts) {
        let stages = [counts.account.handling, counts.account.reducing, counts.account.answering]
        let time = stages.map(\.nanoseconds)
        self.init(
            id: counts.instance, heard: counts.account.heard, emitted: counts.emitted,
            failed: counts.failures + counts.misfits + counts.refused,
            timed: stages.map(\.samples).max() ?? 0,
            stages: HourSample.Stages(handle: time[0], reduce: time[1], io: time[2]),
            rules: counts.rules.compactMapValues { rule in
                guard case .time(_, let total) = rule else { return nil }
                return Int(total / .nanoseconds(1))
            })
    }
}
