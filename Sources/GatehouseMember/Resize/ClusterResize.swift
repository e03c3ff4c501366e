// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehousePlan
internal import GatehouseSupport

/// Divides the data of a cluster among another number of partitions, there or in another engine.
package struct ClusterResize {
    /// The outcome of a resize.
    package enum End {
        /// The resize was done, or would be.
        case done(Summary)
        /// Members are present; nothing was done.
        case busy([String])
        /// These problems prevent it; nothing was done.
        case refused([String])

        /// Whether problems prevent it.
        fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
    }

    /// A summary of the resize.
    package struct Summary {
        /// The old number of partitions.
        package let old: Int
        /// The new number of partitions.
        package let new: Int
        /// The fates of instances with state, by id.
        package let fates: [(instance: String, fate: PartitionDivision.Fate)]
        /// The number of waiting actions.
        package let waiting: Int
        /// The number of actions dropped because their writers had sent them twice.
        package let repeated: Int
        /// Sentences for the operator.
        package let notices: [String]
    }

    /// What a resize has done to a partition.
    package enum Step: String, Sendable {
        /// Its checkpoint is read.
        case read
        /// Its waiting actions are counted.
        case counted
        /// Its new checkpoint is written.
        case written
        /// Its waiting actions are in their new partitions.
        case moved
    }

    /// The most actions read at a time.
    private static let mostAtOnce = 1_000
    /// The most bytes written at a time, plus one action.
    private static let mostBytes = 1 << 20

    /// Changes the cluster.
    private let maintainer: any ClusterMaintainer
    /// The current shape of the cluster.
    private let shape: ClusterShape
    /// Begins to fill the cluster that the data goes to; nil for the same one.
    private let target: (() throws(ClusterFailure) -> any ClusterMaintainer)?
    /// The highest epoch of the partitions.
    private let epoch: Int
    /// The rules of the division.
    private let rules: PartitionDivision.Rules

    /// Creates a resize of a cluster by a configuration and the plugins of a plan.
    ///
    /// - Parameters:
    ///   - count: the new number of partitions.
    ///   - discarded: the ids of instances that start over.
    ///   - target: begins a resize of the cluster that the data goes to; nil for the same one. Called once, when nothing prevents it.
    /// - Throws: why the engine does not report the time, by which ids of actions expire.
    package init(
        _ maintainer: any ClusterMaintainer, _ shape: ClusterShape, to count: Int,
        _ cluster: ClusterConfiguration,
        _ plan: HostPlan, discarding discarded: Set<String>,
        into target: (() throws(ClusterFailure) -> any ClusterMaintainer)? = nil
    ) throws(ClusterFailure) {
        self.maintainer = maintainer
        self.shape = shape
        self.target = target
        let survey = try maintainer.engine(of: shape).survey()
        epoch = survey.partitions.reduce(0) { max($0, $1.title.epoch) }
        var cluster = cluster
        cluster.partitions = count
        rules = PartitionDivision.Rules(
            cluster, plan, discarding: discarded,
            at: ClusterTime(engine: Int(survey.time), member: Int(UnixTime.now)))
    }

    /// Performs the resize; when it throws, nothing has changed, or the failure says that the outcome is unknown.
    ///
    /// - Parameters:
    ///   - isDry: whether to write nothing, which is possible even while members are present.
    ///   - onStep: called with each step, how many partitions have come to it, and of how many.
    package func run(
        isDry: Bool, onStep: (Step, _ done: Int, _ all: Int) -> Void = { _, _, _ in }
    ) throws(ClusterFailure) -> End {
        if !isDry {
            let members = try maintainer.beginResize(of: shape, to: rules.cluster.partitions)
            guard members.isEmpty else { return .busy(members) }
        }
        do throws(ClusterFailure) {
            let end = try divide(isDry: isDry, onStep)
            if !isDry, target != nil || end.isRefused { try maintainer.abandonResize() }
            return end
        } catch {
            // The next resize undoes what cannot be undone now.
            if !isDry { try? maintainer.abandonResize() }
            throw error
        }
    }

    /// Reads everything, and rewrites it unless there are problems.
    private func divide(isDry: Bool, _ onStep: (Step, Int, Int) -> Void) throws(ClusterFailure) -> End {
        var checkpoints: [PartitionDivision.Checkpoint] = []
        for partition in 0..<shape.partitions {
            let (offset, slices) = try maintainer.checkpoint(of: partition)
            checkpoints.append(PartitionDivision.Checkpoint(offset: offset, slices: slices))
            onStep(.read, partition + 1, shape.partitions)
        }
        let division = PartitionDivision(checkpoints, by: rules)
        var (waiting, repeated) = (0, 0)
        var problems = division.problems
        if problems.isEmpty {
            var actions = WaitingActions(of: rules.cluster, from: shape.partitions)
            unsafe try each(checkpoints, &actions, onEnd: { onStep(.counted, $0, shape.partitions) }) {
                _, partition in
                if partition == nil { repeated += 1 } else { waiting += 1 }
            }
            problems += actions.problem.map { [$0] } ?? []
        }
        guard problems.isEmpty else { return .refused(problems) }
        if !isDry {
            let target = try target?() ?? maintainer
            do throws(ClusterFailure) {
                for (partition, slices) in division.partitions.enumerated() {
                    try target.write(slices, to: partition)
                    onStep(.written, partition + 1, division.partitions.count)
                }
                try move(checkpoints, to: target) { onStep(.moved, $0, shape.partitions) }
                // Above all epochs, so that keys of effects differ from those of before.
                try target.finishResize(above: epoch + 1)
            } catch {
                if self.target != nil { try? target.abandonResize() }
                throw error
            }
        }
        return .done(
            Summary(
                old: shape.partitions, new: rules.cluster.partitions, fates: division.fates, waiting: waiting,
                repeated: repeated, notices: division.notices))
    }

    /// Moves the waiting actions to their new partitions.
    ///
    /// - Parameter onEnd: called with the number of partitions that have none any more.
    private func move(
        _ checkpoints: [PartitionDivision.Checkpoint], to target: any ClusterMaintainer,
        onEnd: (Int) -> Void
    ) throws(ClusterFailure) {
        var actions = WaitingActions(of: rules.cluster, from: shape.partitions)
        var batches = [ClusterBatch()]
        // New sequence numbers: the writers' do not rise where actions of several partitions come together.
        var origin = ClusterOrigin(source: "resize", sequence: 0)
        unsafe try each(
            checkpoints, &actions,
            between: { () throws(ClusterFailure) in
                for batch in batches { try target.append(batch) }
                batches = [ClusterBatch()]
            }, onEnd: onEnd
        ) { bytes, partition in
            guard let partition else { return }
            origin.sequence += 1
            if batches[batches.count - 1].byteCount > Self.mostBytes { batches.append(ClusterBatch()) }
            unsafe batches[batches.count - 1].add(bytes, to: partition, from: origin)
        }
    }

    /// Visits each action after the checkpoints, partition by partition.
    ///
    /// - Parameters:
    ///   - between: called after each batch of them.
    ///   - onEnd: called after each partition, with the number of those so far.
    ///   - body: called with the action's bytes and its new partition, nil for a duplicate.
    private func each(
        _ checkpoints: [PartitionDivision.Checkpoint], _ actions: inout WaitingActions,
        between: () throws(ClusterFailure) -> Void = {}, onEnd: (Int) -> Void,
        _ body: (UnsafeRawBufferPointer, Int?) -> Void
    ) throws(ClusterFailure) {
        let engine = try maintainer.engine(of: shape)
        for (partition, checkpoint) in checkpoints.enumerated() {
            actions.begin(checkpoint)
            try engine.readRest(
                of: partition, after: checkpoint.offset, atMost: Self.mostAtOnce, between: between
            ) { entry in
                let home = actions.take(entry, of: partition)
                unsafe body(entry.action, home)
            }
            onEnd(partition + 1)
        }
    }
}
