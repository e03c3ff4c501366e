// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
internal import GatehouseManifest
package import GatehousePlan
internal import GatehouseSupport

/// Divides the data of a cluster among another number of partitions.
package struct ClusterResize {
    /// The outcome of a resize.
    package enum End {
        /// The resize was done, or would be.
        case done(Summary)
        /// Members are present; nothing was done.
        case busy([String])
        /// These problems prevent it; nothing was done.
        case refused([String])
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
    /// The rules of the division.
    private let rules: PartitionDivision.Rules

    /// Creates a resize of a cluster by a configuration and the plugins of a plan.
    ///
    /// - Parameters:
    ///   - count: the new number of partitions.
    ///   - discarded: the ids of instances that start over.
    /// - Throws: why the engine does not report the time, by which ids of actions expire.
    package init(
        _ maintainer: any ClusterMaintainer, _ shape: ClusterShape, to count: Int,
        _ cluster: ClusterConfiguration,
        _ plan: HostPlan, discarding discarded: Set<String>
    ) throws(ClusterFailure) {
        self.maintainer = maintainer
        self.shape = shape
        var cluster = cluster
        cluster.partitions = count
        rules = PartitionDivision.Rules(
            cluster: cluster, state: plan.configuration.state,
            single: Set(plan.instances.filter { $0.manifest.scope == .cluster }.map(\.id)),
            discarded: discarded,
            time: ClusterTime(
                engine: Int(try maintainer.engine(of: shape).survey().time), member: Int(UnixTime.now)))
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
            if !isDry, case .refused = end { try maintainer.abandonResize() }
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
            for (partition, slices) in division.partitions.enumerated() {
                try maintainer.write(slices, to: partition)
                onStep(.written, partition + 1, division.partitions.count)
            }
            try move(checkpoints) { onStep(.moved, $0, shape.partitions) }
            try maintainer.finishResize()
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
        _ checkpoints: [PartitionDivision.Checkpoint], onEnd: (Int) -> Void
    ) throws(ClusterFailure) {
        var actions = WaitingActions(of: rules.cluster, from: shape.partitions)
        var batches = [ClusterBatch()]
        // New sequence numbers: the writers' do not rise where actions of several partitions come together.
        var origin = ClusterOrigin(source: "resize", sequence: 0)
        unsafe try each(
            checkpoints, &actions,
            between: { [maintainer] () throws(ClusterFailure) in
                for batch in batches { try maintainer.append(batch) }
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
            var offset = checkpoint.offset
            var count: Int
            repeat {
                count = 0
                try engine.read([(partition, offset)], atMost: Self.mostAtOnce, waiting: .zero) { _, entry in
                    let home = actions.take(entry, of: partition)
                    unsafe body(entry.action, home)
                    offset = entry.offset
                    count += 1
                }
                try between()
            } while count > 0
            onEnd(partition + 1)
        }
    }
}
