// SPDX-License-Identifier: Apache-2.0

public import GatehouseCluster
internal import GatehouseManifest
internal import GatehouseSupport

/// Divides what a cluster has among another number of partitions.
public struct ClusterResize {
    /// How it ended.
    public enum End {
        /// It was done, or would be.
        case done(Summary)
        /// Members are there; nothing was done.
        case busy([String])
        /// This stands against it; nothing was done.
        case refused([String])
    }

    /// What was done.
    public struct Summary {
        /// How many partitions there were.
        public let old: Int
        /// How many there are.
        public let new: Int
        /// What becomes of instances that have a state, by id.
        public let fates: [(instance: String, fate: PartitionDivision.Fate)]
        /// How many actions wait.
        public let waiting: Int
        /// How many were dropped because their writers had sent them twice.
        public let repeated: Int
        /// What an operator should know, in sentences.
        public let notices: [String]
    }

    /// So many actions are read at a time.
    private static let mostAtOnce = 1_000
    /// So many bytes of them are written at a time, and one action more.
    private static let mostBytes = 1 << 20

    /// Changes the cluster.
    private let keeper: any ClusterKeeper
    /// The cluster as it is.
    private let shape: ClusterShape
    /// How states are divided.
    private let rules: PartitionDivision.Rules

    /// A resize of a cluster by what a configuration says, for plugins of a plan.
    ///
    /// - Parameters:
    ///   - count: the new number of partitions.
    ///   - discarded: the ids of instances that begin anew.
    /// - Throws: why the engine does not tell the time, by which names of actions are forgotten.
    public init(
        _ keeper: any ClusterKeeper, _ shape: ClusterShape, to count: Int, _ cluster: ClusterConfiguration,
        _ plan: HostPlan, discarding discarded: Set<String>
    ) throws(ClusterFailure) {
        self.keeper = keeper
        self.shape = shape
        var cluster = cluster
        cluster.partitions = count
        rules = PartitionDivision.Rules(
            cluster, state: plan.configuration.state,
            single: Set(plan.instances.filter { $0.manifest.scope == .cluster }.map(\.id)),
            discarded: discarded,
            time: ClusterTime(
                engine: Int(try keeper.engine(of: shape).survey().time), member: Int(UnixTime.now)))
    }

    /// Does it; nothing has changed when it throws, or it cannot be told whether it was done, as the failure says.
    ///
    /// - Parameter isDry: whether to write nothing, which can also be found out beside members.
    public func run(isDry: Bool) throws(ClusterFailure) -> End {
        if !isDry {
            let members = try keeper.beginResize(of: shape, to: rules.cluster.partitions)
            guard members.isEmpty else { return .busy(members) }
        }
        do throws(ClusterFailure) {
            let end = try divide(isDry: isDry)
            if !isDry, case .refused = end { try keeper.abandonResize() }
            return end
        } catch {
            // What cannot be undone now is undone by the next one.
            if !isDry { try? keeper.abandonResize() }
            throw error
        }
    }

    /// Reads everything, and writes it anew if nothing stands against it.
    private func divide(isDry: Bool) throws(ClusterFailure) -> End {
        var checkpoints: [PartitionDivision.Checkpoint] = []
        for partition in 0..<shape.partitions {
            let (offset, slices) = try keeper.checkpoint(of: partition)
            checkpoints.append(PartitionDivision.Checkpoint(offset: offset, slices: slices))
        }
        let division = PartitionDivision(checkpoints, by: rules)
        var (waiting, repeated) = (0, 0)
        var problems = division.problems
        if problems.isEmpty {
            var actions = WaitingActions(of: rules.cluster, from: shape.partitions)
            unsafe try each(checkpoints, &actions) { _, fate in
                if case .repeated = fate { repeated += 1 } else { waiting += 1 }
            }
            problems += actions.problem.map { [$0] } ?? []
        }
        guard problems.isEmpty else { return .refused(problems) }
        if !isDry {
            for (partition, slices) in division.partitions.enumerated() {
                try keeper.write(slices, to: partition)
            }
            try move(checkpoints)
            try keeper.finishResize()
        }
        return .done(
            Summary(
                old: shape.partitions, new: rules.cluster.partitions, fates: division.fates, waiting: waiting,
                repeated: repeated, notices: division.notices))
    }

    /// Writes what waits to its new partitions.
    private func move(_ checkpoints: [PartitionDivision.Checkpoint]) throws(ClusterFailure) {
        var actions = WaitingActions(of: rules.cluster, from: shape.partitions)
        var batches = [ClusterBatch()]
        // Numbers of its own: those of the writers do not rise where actions of several partitions come together.
        var origin = ClusterOrigin(source: "resize", sequence: 0)
        unsafe try each(
            checkpoints, &actions,
            between: { [keeper] () throws(ClusterFailure) in
                for batch in batches { try keeper.append(batch) }
                batches = [ClusterBatch()]
            }
        ) { bytes, fate in
            guard case .moved(let partition) = fate else { return }
            origin.sequence += 1
            if batches[batches.count - 1].byteCount > Self.mostBytes { batches.append(ClusterBatch()) }
            unsafe batches[batches.count - 1].add(bytes, to: partition, from: origin)
        }
    }

    /// Looks at each action behind the checkpoints, partition by partition.
    ///
    /// - Parameters:
    ///   - between: called after each few of them.
    ///   - body: given the action's bytes and what becomes of it.
    private func each(
        _ checkpoints: [PartitionDivision.Checkpoint], _ actions: inout WaitingActions,
        between: () throws(ClusterFailure) -> Void = {},
        _ body: (UnsafeRawBufferPointer, WaitingActions.Fate) -> Void
    ) throws(ClusterFailure) {
        let engine = try keeper.engine(of: shape)
        for (partition, checkpoint) in checkpoints.enumerated() {
            actions.begin(checkpoint)
            var offset = checkpoint.offset
            var count: Int
            repeat {
                count = 0
                try engine.read([(partition, offset)], atMost: Self.mostAtOnce, waiting: .zero) { _, entry in
                    let fate = actions.take(entry, of: partition)
                    unsafe body(entry.action, fate)
                    offset = entry.offset
                    count += 1
                }
                try between()
            } while count > 0
        }
    }
}
