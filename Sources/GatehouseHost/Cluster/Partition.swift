// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK

/// A partition that this member owns: a store of its own, what it has taken, and what its next checkpoint writes.
///
/// Belongs to the thread of its worker. The store is a `Host`, whose effects emit from other threads.
final class Partition {
    /// A checkpoint on its way.
    struct Prepared {
        /// What the engine is to write.
        let checkpoint: ClusterCheckpoint
        /// Effects that begin when it is written.
        let held: [HeldEffects.Held]
        /// What will be written of each instance then.
        let marks: [String: Mark]
    }

    /// What is written of an instance.
    struct Mark: Equatable {
        /// The version of its slice.
        let version: UInt64
        /// Where its gate stands.
        let gate: GateState
    }

    /// So long may what was done wait for a checkpoint.
    private static let longestWait = Duration.milliseconds(100)
    /// So many actions are taken at most between two checkpoints.
    static let mostTaken = 8_192

    /// Its number.
    let number: Int
    /// The epoch under which it is owned.
    let epoch: Int
    /// Its store.
    let host: Host
    /// The name of the member.
    private let member: String
    /// What is under way.
    private let book: PartitionBook
    /// Takes note of what reaches the reducers.
    private let recorder: ActionRecorder
    /// What it has for others.
    private let outbox: PartitionOutbox
    /// Effects that wait for the checkpoint.
    private let held: HeldEffects
    /// Whether somebody waits for the checkpoint.
    private let urgency: PartitionUrgency
    /// Counts what the member does.
    private let counts: ClusterCounts
    /// Told what an operator should know.
    private let report: @Sendable (ClusterNotice) -> Void

    /// Up to where it has taken its actions.
    private(set) var offset: ClusterOffset
    /// The last action of each source.
    private var seen: SeenOrigins
    /// What writers called their actions.
    private var ids: TakenIDs
    /// The number of the last input.
    private var inputs: UInt64
    /// Turns bytes into actions.
    private var lines = RecordedLines()
    /// The place of its actions.
    private let source: ActionSource
    /// What was left under way by who had it before.
    private let left: PartitionSlices.Book

    /// Actions taken since the last checkpoint.
    private(set) var taken = 0
    /// What was set aside since then.
    private var dead: [ClusterDeadLetter] = []
    /// Slices that nobody has any more.
    private var gone: [String]
    /// What was written of instances.
    private var marks: [String: Mark] = [:]
    /// The version of the plain state that was written; nil before the first time.
    private var plain: UInt64?
    /// The version of the list of effects that was written.
    private var effects = -1
    /// Whether held actions were written that are not held any more.
    private var hasHeld = true
    /// How many checkpoints were prepared.
    private var checkpoints = 0
    /// How many actions the store had processed at the last checkpoint.
    private var processed = -1
    /// When that was.
    private var last = ContinuousClock.now
    /// A checkpoint whose answer did not come.
    private(set) var pending: Prepared?
    /// What a checkpoint has taken that could not be written.
    private var kept: (outputs: [ClusterCheckpoint.Output], held: [HeldEffects.Held]) = ([], [])
    /// Until when its effects may finish; nil for one that goes on.
    private(set) var end: ContinuousClock.Instant?

    /// A partition over its store, which has the state of the last checkpoint.
    ///
    /// - Parameter parts: what was made with the store.
    init(_ parts: PartitionParts, host: sending Host, left: PartitionSlices.Book, gone: [String]) {
        number = parts.number
        epoch = parts.epoch
        member = parts.member
        book = parts.book
        recorder = parts.recorder
        outbox = parts.outbox
        held = parts.held
        urgency = parts.urgency
        counts = parts.counts
        report = parts.report
        offset = parts.offset
        ids = parts.ids
        seen = left.seen
        inputs = left.inputs
        source = ActionSource(file: "\(parts.cluster)/\(parts.number)", function: "", line: 0, info: nil)
        self.host = host
        self.left = left
        self.gone = gone
        held.keys = host.core.dependencies.effectKeys
    }

    /// Starts the instances, and does what whoever had the partition before has left to be done.
    func begin() {
        host.queue.withExclusiveAccess { host.generation.start() }
        for effect in left.effects {
            let action = HostActions.interrupted(
                effect.key, of: effect.instance, after: UInt64(effect.action))
            host.dispatch(action, from: source)
        }
        for (number, bytes) in left.held {
            if let action = lines.action(bytes) { dispatch(action, nil, as: number) }
        }
        host.settle()
    }

    /// Lets go of everything as it is: nothing counts that is not in the last checkpoint.
    func drop() {
        host.queue.withExclusiveAccess {
            _ = held.take()
            host.generation.cancelEffects()
        }
        pending = nil
        kept = ([], [])
    }

    // MARK: - Actions

    /// Processes an action, unless it was there before.
    ///
    /// - Parameter now: the time in seconds since 1970, about.
    func take(_ entry: borrowing ClusterEntry, at now: Int) {
        offset = entry.offset
        taken += 1
        let origin = entry.origin
        if let origin, !seen.take(origin, at: now) { return counts.countDuplicate() }
        let bytes = unsafe entry.action
        guard let action = unsafe lines.action(bytes) else {
            report(.rejected(partition: number, offset: entry.offset, reason: Self.noAction))
            return setAside(unsafe Array(bytes), at: entry.offset, origin, Self.noAction, now)
        }
        if action.hasMeta, case .string(let id)? = action.meta?["id"], !ids.take(id) {
            return counts.countDuplicate()
        }
        inputs = recorder.numbers(forInputs: 1)
        unsafe dispatch(action, ActionText(bytes: bytes, isPayload: false), as: inputs)
    }

    /// Why something that is no action is not processed.
    private static let noAction = "it is no action"

    /// Dispatches an input.
    private func dispatch(_ action: AnyAction, _ text: ActionText?, as number: UInt64) {
        book.begin(number, action)
        let source = source.at(line: UInt(number)).caused(by: ActionCause(.input, number))
        host.queue.dispatch(DispatchedAction(action, dispatcher: source)) {
            if let text { $0.isReading(text, of: source) } else { $0.isReading(source) }
        }
    }

    /// Leaves an action out that has ended its hosts too often.
    func setAside(_ entry: CopiedEntry, because reason: String, at now: Int) {
        offset = entry.offset
        taken += 1
        if let origin = entry.origin { _ = seen.take(origin, at: now) }
        report(
            .setAside(
                partition: number, offset: entry.offset, type: JournalInputRecord.type(of: entry.action),
                reason: reason))
        setAside(entry.action, at: entry.offset, entry.origin, reason, now)
    }

    /// Keeps something for the dead letters of the cluster.
    private func setAside(
        _ bytes: [UInt8], at offset: ClusterOffset, _ origin: ClusterOrigin?, _ reason: String, _ now: Int
    ) {
        dead.append(
            ClusterDeadLetter(
                partition: number, offset: offset, origin: origin, action: bytes, reason: reason,
                member: member, time: Double(now)))
    }

    // MARK: - Checkpoints

    /// Whether there is something that is not in the last checkpoint.
    private var isDirty: Bool {
        taken > 0 || processed != host.progress.actions || book.isBehind || book.version != effects
    }

    /// Whether a checkpoint is to be written.
    func isDue(_ now: ContinuousClock.Instant) -> Bool {
        pending != nil || urgency.isRaised
            || isDirty && (taken >= Self.mostTaken || last.duration(to: now) >= Self.longestWait)
    }

    /// What the next checkpoint writes: the one that is on its way, or a new one; nil when the store did not come to it.
    func prepare() -> Prepared? {
        if let pending { return pending }
        let work = host.core
        let found = try? work.between(.seconds(2), atRest: true) { [self] in
            urgency.lower()
            book.catchUp()
            recorder.handOver()
            kept.outputs += outbox.take()
            kept.held += held.take()
            let generation = host.generation
            var marks: [String: Mark] = [:]
            for instance in generation.instances {
                marks[instance.id] = Mark(version: instance.slice.version, gate: instance.gate)
            }
            let copy = CopiedState(of: generation, configured: work.configuredState) {
                self.marks[$0.id] != marks[$0.id]
            }
            return (copy, marks, generation.state.state.plainVersion, host.progress.actions)
        }
        guard let (copy, marks, plain, processed) = found else { return nil }
        do {
            pending = try encode(copy, marks, plain)
        } catch {
            report(.stuck(partition: number, reason: "a state cannot be written as JSON: \(error)"))
            return nil
        }
        self.plain = plain
        self.processed = processed
        return pending
    }

    /// Encodes what has changed.
    private func encode(_ copy: CopiedState, _ marks: [String: Mark], _ plain: UInt64)
        throws(CodingFailure) -> Prepared
    {
        let saved = try copy.saved()
        var slices: [String: [UInt8]] = [:]
        for (id, entry) in saved.entries {
            slices[PartitionSlices.name(of: id)] = PartitionSlices.bytes(entry.value)
        }
        if self.plain != plain {
            slices[PartitionSlices.plain] = PartitionSlices.bytes(saved.withoutEntries.value)
        }
        let open = book.open
        if open.version != effects { slices[PartitionSlices.effects] = PartitionSlices.write(open.effects) }
        if !open.inputs.isEmpty || hasHeld {
            slices[PartitionSlices.inputs] = try PartitionSlices.write(open.inputs)
        }
        let now = Int(UnixTime.now)
        seen.forget(at: now)
        slices[PartitionSlices.book] = PartitionSlices.write(seen, inputs: inputs)
        let written = ids.write(at: now, number: inputs)
        if let (name, bytes) = written.slice { slices[name] = bytes }
        (effects, hasHeld) = (open.version, !open.inputs.isEmpty)
        defer { kept = ([], []) }
        checkpoints += 1
        return Prepared(
            checkpoint: ClusterCheckpoint(
                partition: number, member: member, epoch: epoch, offset: offset, slices: slices,
                gone: gone + written.gone, outputs: kept.outputs, dead: dead, processed: taken,
                number: checkpoints),
            held: kept.held, marks: marks)
    }

    /// Takes note that the engine has what was prepared, and begins the effects that have waited for it.
    func commit(_ prepared: Prepared, at now: ContinuousClock.Instant) {
        pending = nil
        marks = prepared.marks
        gone = []
        dead = []
        taken = 0
        last = now
        if !prepared.held.isEmpty {
            host.queue.withExclusiveAccess { held.begin(prepared.held) }
        }
    }

    // MARK: - The end

    /// Lets the instances finish: tells them that the end has come, and gives their effects time.
    func finish(by end: ContinuousClock.Instant) {
        self.end = end
        host.queue.withExclusiveAccess { host.generation.stop() }
    }

    /// Whether nothing runs any more, or the time for it is over; what runs then is given up, which is told.
    func hasFinished(_ now: ContinuousClock.Instant) -> Bool {
        guard let end, !host.queue.activity.isIdle else { return end != nil }
        guard now >= end else { return false }
        for work in host.queue.withExclusiveAccess({ host.generation.unfinished }) {
            report(.givenUp(partition: number, instance: work.instance, count: work.count))
        }
        host.queue.withExclusiveAccess { host.generation.cancelEffects() }
        return true
    }

    /// Whether everything it has done is in its checkpoint.
    var isKept: Bool { pending == nil && !urgency.isRaised && !isDirty }
}
