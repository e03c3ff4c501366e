// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK

/// A partition that this member owns: a separate store that processes the partition's actions.
///
/// Belongs to its thread. The store is a `Host`, whose effects emit from other threads.
final class Partition {
    /// The store.
    let host: Host
    /// Writes the partition's checkpoints.
    let checkpoints: PartitionCheckpoints
    /// The parts created with the store.
    private let parts: PartitionParts
    /// The position in the partition's actions.
    private var intake: PartitionIntake
    /// Parses actions.
    private var lines = RecordedLines()
    /// The source of the partition's actions.
    private let source: ActionSource
    /// The unfinished work of the previous owner.
    private let left: PartitionSlices.RecordedLog
    /// The deadline of the effects; nil for a partition that continues.
    private(set) var end: ContinuousClock.Instant?
    /// The work that ran at the deadline; nil before it, and when everything had finished by then.
    private var overdue: [UnfinishedWork]?

    /// Creates a partition around its store, which has the state of the last checkpoint.
    ///
    /// - Parameters:
    ///   - parts: the parts created with the store.
    ///   - gone: slices of that checkpoint that have no owner any more.
    init(
        _ parts: PartitionParts, host: sending Host, intake: PartitionIntake,
        left: PartitionSlices.RecordedLog,
        gone: [String]
    ) {
        self.parts = parts
        self.host = host
        self.intake = intake
        self.left = left
        source = ActionSource(file: "\(parts.cluster)/\(parts.number)", function: "", line: 0, info: nil)
        checkpoints = PartitionCheckpoints(parts, of: host, after: intake.offset, gone: gone)
        parts.held.keys = host.store.dependencies.effectKeys
    }

    /// The partition's number.
    var number: Int { parts.number }
    /// The epoch under which it is owned.
    var epoch: Int { parts.epoch }
    /// The offset up to which actions are taken.
    var offset: ClusterOffset { intake.offset }

    /// Starts the instances, and the unfinished work of the previous owner.
    func begin() {
        host.turn {
            $0.start()
            $0.resume(left.effects)
        }
        for (number, bytes) in left.held {
            if let action = lines.action(bytes) { dispatch(action, nil, as: number) }
        }
        host.settle()
    }

    /// How many effects and held actions the previous owner had not finished.
    var takenEffects: Int { left.effects.count + left.held.count }

    /// Drops everything as it is: only the last checkpoint counts.
    func drop() {
        host.turn {
            _ = parts.held.take()
            $0.cancelEffects()
        }
    }

    // MARK: - Actions

    /// Processes an action, unless it is a duplicate.
    ///
    /// - Parameter now: the approximate time in seconds since 1970.
    func take(_ entry: borrowing ClusterEntry, at now: Int) {
        guard intake.pass(entry.offset, from: entry.origin, at: now) else {
            return parts.counts.countDuplicate()
        }
        let bytes = unsafe entry.action
        guard let action = unsafe lines.action(bytes) else {
            let reason = "it is no action"
            parts.report(.rejected(partition: number, offset: entry.offset, reason: reason))
            return setAside(unsafe Array(bytes), entry.origin, reason, now)
        }
        guard intake.take(action) else { return parts.counts.countDuplicate() }
        let number = parts.recorder.numbers(forInputs: 1)
        intake.inputs = number
        unsafe dispatch(action, ActionText(bytes: bytes, isPayload: false), as: number)
    }

    /// Dispatches an input.
    private func dispatch(_ action: AnyAction, _ text: ActionText?, as number: UInt64) {
        parts.checkpointLog.begin(number, action)
        let source = source.at(line: UInt(number)).caused(by: ActionCause(.input, number))
        if let text {
            host.store.dispatch(action, read: text, from: source)
        } else {
            host.store.dispatch(action, readFrom: source)
        }
    }

    /// Skips an action that has ended its hosts too often.
    func setAside(_ entry: CopiedEntry, because reason: String, at now: Int) {
        _ = intake.pass(entry.offset, from: entry.origin, at: now)
        parts.report(
            .setAside(
                partition: number, offset: entry.offset, type: JournalInputRecord.type(of: entry.action),
                reason: reason))
        setAside(entry.action, entry.origin, reason, now)
    }

    /// Keeps the action taken last for the dead letters of the cluster.
    private func setAside(_ bytes: [UInt8], _ origin: ClusterOrigin?, _ reason: String, _ now: Int) {
        checkpoints.setAside(
            ClusterDeadLetter(
                partition: number, offset: offset, origin: origin, action: bytes, reason: reason,
                member: parts.member, time: Double(now)))
    }

    // MARK: - Checkpoints

    /// Whether a checkpoint is due.
    func isDue(_ now: ContinuousClock.Instant) -> Bool { checkpoints.isDue(now, after: intake.count) }

    /// Prepares the next checkpoint, see `PartitionCheckpoints.prepare(_:)`.
    func prepare() -> PartitionCheckpoints.Prepared? { checkpoints.prepare(&intake) }

    /// Whether a checkpoint holds all the partition's work.
    var isKept: Bool { checkpoints.haveAll(after: intake.count) }

    // MARK: - The end

    /// Stops the instances, and gives their effects time to finish.
    func finish(by end: ContinuousClock.Instant) {
        self.end = end
        host.turn { $0.stop() }
        checkpoints.handOver()
    }

    /// Whether nothing runs any more or time is up; work still running then is given up.
    func hasFinished(_ now: ContinuousClock.Instant) -> Bool {
        guard let end, !host.queue.activity.isIdle else { return end != nil }
        guard now >= end else { return false }
        if overdue == nil { overdue = host.turn { $0.unfinished } }
        host.turn { $0.cancelEffects() }
        return true
    }

    /// The work that had not finished, with what becomes of it; known once the last checkpoint is written.
    var unfinished: [LeftWork.Part] { LeftWork.parts(recorded: parts.checkpointLog.open, overdue ?? []) }
}
