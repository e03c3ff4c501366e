// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK

/// A partition that this member owns: a store of its own, which is given the actions that are taken in.
///
/// Belongs to the thread of its worker. The store is a `Host`, whose effects emit from other threads.
final class Partition {
    /// Its store.
    let host: Host
    /// Writes down what it has done.
    let checkpoints: PartitionCheckpoints
    /// What was made with the store.
    private let parts: PartitionParts
    /// How far its actions are taken.
    private var intake: PartitionIntake
    /// Turns bytes into actions.
    private var lines = RecordedLines()
    /// The place of its actions.
    private let source: ActionSource
    /// What was left under way by who had it before.
    private let left: PartitionSlices.Book
    /// Until when its effects may finish; nil for one that goes on.
    private(set) var end: ContinuousClock.Instant?

    /// A partition over its store, which has the state of the last checkpoint.
    ///
    /// - Parameters:
    ///   - parts: what was made with the store.
    ///   - gone: slices of that checkpoint that nobody has any more.
    init(
        _ parts: PartitionParts, host: sending Host, intake: PartitionIntake, left: PartitionSlices.Book,
        gone: [String]
    ) {
        self.parts = parts
        self.host = host
        self.intake = intake
        self.left = left
        source = ActionSource(file: "\(parts.cluster)/\(parts.number)", function: "", line: 0, info: nil)
        checkpoints = PartitionCheckpoints(parts, of: host, gone: gone)
        parts.held.keys = host.core.dependencies.effectKeys
    }

    /// Its number.
    var number: Int { parts.number }
    /// The epoch under which it is owned.
    var epoch: Int { parts.epoch }
    /// Up to where it has taken its actions.
    var offset: ClusterOffset { intake.offset }

    /// Starts the instances, and does what whoever had the partition before has left to be done.
    func begin() {
        host.queue.withExclusiveAccess {
            host.generation.start()
            host.generation.inherit(left.effects)
            host.generation.beginUnfinished()
        }
        for (number, bytes) in left.held {
            if let action = lines.action(bytes) { dispatch(action, nil, as: number) }
        }
        host.settle()
    }

    /// Lets go of everything as it is: nothing counts that is not in the last checkpoint.
    func drop() {
        host.queue.withExclusiveAccess {
            _ = parts.held.take()
            host.generation.cancelEffects()
        }
    }

    // MARK: - Actions

    /// Processes an action, unless it was there before.
    ///
    /// - Parameter now: the time in seconds since 1970, about.
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
        if action.hasMeta, case .string(let id)? = action.meta?["id"], !intake.take(id) {
            return parts.counts.countDuplicate()
        }
        let number = parts.recorder.numbers(forInputs: 1)
        intake.number(number)
        unsafe dispatch(action, ActionText(bytes: bytes, isPayload: false), as: number)
    }

    /// Dispatches an input.
    private func dispatch(_ action: AnyAction, _ text: ActionText?, as number: UInt64) {
        parts.book.begin(number, action)
        let source = source.at(line: UInt(number)).caused(by: ActionCause(.input, number))
        host.queue.dispatch(DispatchedAction(action, dispatcher: source)) {
            if let text { $0.isReading(text, of: source) } else { $0.isReading(source) }
        }
    }

    /// Leaves an action out that has ended its hosts too often.
    func setAside(_ entry: CopiedEntry, because reason: String, at now: Int) {
        _ = intake.pass(entry.offset, from: entry.origin, at: now)
        parts.report(
            .setAside(
                partition: number, offset: entry.offset, type: JournalInputRecord.type(of: entry.action),
                reason: reason))
        setAside(entry.action, entry.origin, reason, now)
    }

    /// Keeps the action that was taken last for the dead letters of the cluster.
    private func setAside(_ bytes: [UInt8], _ origin: ClusterOrigin?, _ reason: String, _ now: Int) {
        checkpoints.setAside(
            ClusterDeadLetter(
                partition: number, offset: offset, origin: origin, action: bytes, reason: reason,
                member: parts.member, time: Double(now)))
    }

    // MARK: - Checkpoints

    /// Whether a checkpoint is to be written.
    func isDue(_ now: ContinuousClock.Instant) -> Bool { checkpoints.isDue(now, after: intake.count) }

    /// What is to be written, see `PartitionCheckpoints.prepare(_:)`.
    func prepare() -> PartitionCheckpoints.Prepared? { checkpoints.prepare(&intake) }

    /// Whether everything it has done is in a checkpoint.
    var isKept: Bool { checkpoints.haveAll(after: intake.count) }

    // MARK: - The end

    /// Lets the instances finish: tells them that the end has come, and gives their effects time.
    func finish(by end: ContinuousClock.Instant) {
        self.end = end
        host.queue.withExclusiveAccess { host.generation.stop() }
        checkpoints.handOver()
    }

    /// Whether nothing runs any more, or the time for it is over; what runs then is given up, which is told.
    func hasFinished(_ now: ContinuousClock.Instant) -> Bool {
        guard let end, !host.queue.activity.isIdle else { return end != nil }
        guard now >= end else { return false }
        for work in host.queue.withExclusiveAccess({ host.generation.unfinished }) {
            parts.report(.givenUp(partition: number, instance: work.instance, count: work.count))
        }
        host.queue.withExclusiveAccess { host.generation.cancelEffects() }
        return true
    }
}
