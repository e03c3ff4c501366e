// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseRuntime
package import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Creates the stores of partitions from the member's plan and the engine's slices; callable from any thread.
package final class PartitionMaker: Sendable {
    /// The common terms of all stores of a member.
    package struct Terms: Sendable {
        /// The member's name for operators.
        package let member: String
        /// The clock granted to instances.
        package let clock: HostClock
        /// Knows the pauses of instances in partitions, and in the member's own host.
        package let pauses: EffectPauses
        /// The parent of a folder for each partition, with a folder for each instance; nil for none.
        package let dataDirectory: String?
        /// Whether to time every action.
        package let timesAll: Bool
        /// Publishes what is running.
        package let flightRecorder: FlightRecorder
        /// Called with each action, for printing.
        package let onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?

        /// Creates the terms of a member.
        package init(
            member: String, clock: HostClock, pauses: EffectPauses, dataDirectory: String?, timesAll: Bool,
            flightRecorder: FlightRecorder,
            onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
        ) {
            self.member = member
            self.clock = clock
            self.pauses = pauses
            self.dataDirectory = dataDirectory
            self.timesAll = timesAll
            self.flightRecorder = flightRecorder
            self.onAction = onAction
        }
    }

    /// The common terms of all stores.
    let terms: Terms
    /// The configuration of the cluster.
    let configuration: ClusterConfiguration
    /// The gateway of the member's own host, which keeps the dead letters of all stores.
    private let gateway: ClusterGateway
    /// Determines the partition of each action.
    private let keys: ActionKeys
    /// Counts of the member's work.
    private let counts: ClusterCounts
    /// Receives reports of problems.
    private let reports: Reporter
    /// The images of this process.
    private let images: ImageCache
    /// The running plan, of all scopes, and how many there were before it.
    private let plan: Mutex<(plan: HostPlan, number: Int)>
    /// Carries out the action `host/reload`; nil where there is nothing to read again.
    private let reload = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates a maker of stores.
    init(
        _ terms: Terms, _ configuration: ClusterConfiguration, plan: HostPlan, images: ImageCache,
        behind gateway: ClusterGateway, keys: ActionKeys, counts: ClusterCounts, reports: Reporter
    ) {
        self.terms = terms
        self.configuration = configuration
        self.gateway = gateway
        self.keys = keys
        self.counts = counts
        self.reports = reports
        self.images = images
        self.plan = Mutex((plan, 0))
    }

    /// How long work may wait for a checkpoint that nothing waits for: longer with more partitions, so that all of them together write no
    /// more than 4,000 a second.
    private var longestWait: Duration {
        max(.milliseconds(100), .microseconds(250) * configuration.partitions)
    }

    /// Makes the folder in which instances of a partition find theirs, because plugins know of no folder above their own and its parent.
    ///
    /// Where that fails, only instances that write to it cannot work, and say so; the reason is reported here.
    ///
    /// - Returns: its path; nil where the member has no data.
    private func dataFolder(of number: Int, _ report: (ClusterNotice) -> Void) -> String? {
        guard let parent = terms.dataDirectory else { return nil }
        let folder = "\(parent)/partition-\(number)"
        do throws(SystemFailure) {
            try SystemFile.makeFolder(parent)
            try SystemFile.makeFolder(folder)
        } catch {
            report(
                .loaded(
                    partition: number,
                    "its folder for data, \(folder), cannot be made: \(error); make it, or let this user write above it"
                ))
        }
        return folder
    }

    /// Makes the instances of a partition before it comes.
    ///
    /// What is wrong with one is told when the partition is created.
    ///
    /// - Parameter onUrgency: called on any thread when something waits for a checkpoint.
    func prepare(_ number: Int, onUrgency: @escaping @Sendable () -> Void) -> PreparedPartition {
        let report: @Sendable (ClusterNotice) -> Void = { [reports] in reports.send(.cluster($0)) }
        let urgency = PartitionUrgency(onUrgency)
        let held = HeldEffects(urgency)
        let terms = terms
        let dependencies = HostDependencies(
            effects: {
                EffectTerms(
                    clock: terms.pauses.clock(of: $0, like: terms.clock),
                    execution: .held(held.hold(for: $0)))
            },
            dataDirectory: dataFolder(of: number, report), timesAll: terms.timesAll,
            progress: RunProgress(in: terms.flightRecorder, partition: number),
            letters: gateway.letters ?? DeadLetters(), report: { [reports] in reports.send($0) })
        let (plan, version) = plan.withLock { ($0.plan.part(of: number), $0.number) }
        let assembler = Assembler(cache: images, dependencies: dependencies)
        return PreparedPartition(
            number: number, plan: plan, version: version, urgency: urgency, held: held, assembler: assembler,
            made: assembler.makeAhead(plan))
    }

    /// Creates a granted partition, ready to begin.
    ///
    /// - Parameters:
    ///   - prepared: what was made for it; nil for nothing. It is made again when the plan has changed since.
    ///   - onUrgency: called on any thread when something waits for a checkpoint.
    /// - Throws: all reasons why its state cannot be loaded.
    func partition(
        _ number: Int, _ grant: PartitionGrant, from prepared: PreparedPartition?,
        onUrgency: @escaping @Sendable () -> Void
    ) throws(Diagnostics) -> Partition {
        let report: @Sendable (ClusterNotice) -> Void = { [reports] in reports.send(.cluster($0)) }
        let isCurrent = prepared?.version == plan.withLock { $0.number }
        let prepared = isCurrent ? prepared : nil
        let parts = prepared ?? prepare(number, onUrgency: onUrgency)
        let left: PartitionSlices.RecordedLog
        let saved: SavedState?
        do {
            left = try PartitionSlices.recordedLog(grant.slices)
            saved = try PartitionSlices.saved(grant.slices)
        } catch {
            throw Diagnostics([
                Diagnostic(.error, "the state of partition \(number) cannot be read: \(error)")
            ])
        }
        let assembly = try parts.assembler.assemble(
            parts.plan, restoring: saved, leavingUnread: true, from: parts.made)
        for diagnostic in assembly.unread {
            report(.loaded(partition: number, diagnostic.sentences.joined(separator: "; ")))
        }
        let ids = Set(assembly.instanceIDs.map(PartitionSlices.name))
        // The first checkpoint has the whole state of each instance.
        let gone = grant.slices.keys.filter {
            $0.hasPrefix(PartitionSlices.instancePrefix) && !ids.contains($0)
                || $0.hasPrefix(PartitionSlices.changePrefix)
        }
        let checkpointLog = CheckpointLog()
        let recorder = ActionRecorder(
            after: 0, input: left.inputs, effect: UInt64(grant.epoch) << 32,
            name: "\(configuration.name).\(number)", epoch: UInt64(grant.epoch),
            buffers: checkpointLog.buffers,
            notice: { checkpointLog.fallBehind() }
        ) { batch, onCommit in
            checkpointLog.take(batch)
            onCommit?(nil)
        }
        let outbox = PartitionOutbox(
            of: number, epoch: grant.epoch, by: keys, emittedBy: parts.plan.instances, parts.urgency,
            report: report)
        // What was made ahead was taken by this thread, and belongs to the host alone from here on.
        nonisolated(unsafe) let made = assembly
        let host = unsafe Host(
            made, by: PartitionedAdmission(gateway.router, elsewhere: outbox, recorder: recorder),
            starts: false, reports: reports, onAction: terms.onAction)
        if let reload = reload.withLock({ $0 }) { host.onReload(reload) }
        return Partition(
            PartitionParts(
                cluster: configuration.name, member: terms.member, number: number, epoch: grant.epoch,
                longestWait: longestWait, checkpointLog: checkpointLog, recorder: recorder, outbox: outbox,
                held: parts.held, urgency: parts.urgency, counts: counts,
                report: report), host: host,
            intake: PartitionIntake(grant, left, by: keys, window: configuration.deduplicate), left: left,
            gone: gone)
    }

    /// Sets the callback of the action `host/reload`.
    package func onReload(_ body: @escaping @Sendable () -> Void) { reload.withLock { $0 = body } }

    /// The instances of the plan in chain order, and whether each runs in partitions.
    package var instances: [(id: String, isInPartitions: Bool)] {
        plan.withLock { $0.plan }.instances.map { ($0.id, $0.manifest.scope != .host) }
    }

    /// Switches to another plan for further stores.
    package func follow(_ plan: HostPlan) { self.plan.withLock { $0 = (plan, $0.number + 1) } }
}

/// The engine's data of a partition granted to this member.
struct PartitionGrant: Sendable {
    /// The epoch under which it is owned.
    let epoch: Int
    /// The offset up to which its actions were taken.
    let offset: ClusterOffset
    /// The slices of the last checkpoint.
    let slices: [String: [UInt8]]
    /// The number of grants since the last checkpoint, including this one.
    let attempts: Int
}
