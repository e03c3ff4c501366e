// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
internal import Synchronization

// What a worker tells, on the thread that takes it, but for what is done in the drain.
extension WorkerLink {
    /// How many orders are done, and how many are not; see `WorkerTraffic`.
    func waiting(withOwn isWithOwn: Bool) -> (done: UInt64, count: Int) {
        traffic.withLock { $0.waiting(withOwn: isWithOwn) }
    }

    /// What would stand in a journal for the actions that are not done, or have effects that have not ended, where there is none; called in
    /// the drain, when no more are given.
    var unfinished: [JournalEffect] {
        send()
        var lines = RecordedLines()
        return traffic.withLock { $0.unfinished }.flatMap { action, effects in
            let content = action.read(by: &lines)
            var whole = JournalEffect(
                number: action.sequence << 16, instance: id, sequence: action.sequence, recovery: .again,
                key: "", action: content, source: action.source)
            whole.ordinal = JournalEffect.all
            guard !effects.isEmpty else { return [whole] }
            return effects.map { told in
                var effect = whole.numbered(whole.number | UInt64(min(told.ordinal, 0xFFFF)))
                (effect.ordinal, effect.recovery, effect.attempt) = (
                    told.ordinal, told.recovery, told.attempt
                )
                return effect
            }
        }
    }

    /// How many of those begin again.
    var unfinishedCount: Int {
        traffic.withLock { traffic in
            traffic.unfinished.reduce(0) { count, left in
                count + (left.effects.isEmpty ? 1 : left.effects.count { $0.recovery == .again })
            }
        }
    }

    /// Sends what there is room for, and takes note of the room that there is; whether all is sent.
    func send(noting room: inout RingRoom) throws(RingFailure) -> Bool {
        try traffic.withLock { traffic throws(RingFailure) in
            try traffic.flush()
            traffic.note(&room)
            return traffic.isSent
        }
    }

    /// Whether the first process is known to be able to begin, or not to be.
    var hasBegun: Bool { answers.withLock { $0.beginning != nil } }

    /// Whether a process has had the instance.
    var hasServed: Bool {
        answers.withLock { if case .ready? = $0.beginning { true } else { false } }
    }

    /// What the first process has said of the instance, until its first checkpoint; belongs to the thread that takes answers.
    var ready: Instance? {
        get { answers.withLock { $0.ready } }
        set {
            if let newValue { traffic.withLock { $0.stateVersion = newValue.stateVersion } }
            answers.withLock { $0.ready = newValue }
        }
    }

    /// Tells who waits whether a state fits.
    ///
    /// - Throws: that a later process does not take the state of the one before.
    func tell(restored state: Result<Value, CodingFailure>) throws(FrameFailure) {
        if traffic.withLock({ $0.take(answer: state) }) {
            answers.withLock { $0.restored = state }
            hasAnswer.signal()
        } else if case .failure = state {
            throw .badNumber("a state of the worker before it")
        }
    }

    /// The global type of one that a worker has by the prefix of its instance.
    func global(_ type: String) -> String {
        guard let local = LiftedNames.strip(id + "/", from: type) else { return type }
        return surroundings.withLock { $0 }?.outlet.heard(as: local) ?? type
    }

    /// Passes on what is told besides.
    func note(_ note: WorkerNotes.Note) {
        switch note {
        case .report(let report): surroundings.withLock { $0 }?.report(report)
        case .letter(let letter):
            surroundings.withLock { $0 }?.letters.add(letter.under(global(letter.type), of: id))
        }
    }

    /// Keeps a checkpoint, and has what it says done in the drain.
    func keep(
        _ checkpoint: inout TakenCheckpoint, after orders: UInt64,
        _ begun: [(number: UInt64, sequence: UInt64, value: Value)], _ ended: [UInt64]
    ) throws(FrameFailure) {
        let counted = try traffic.withLock { traffic throws(FrameFailure) -> Surroundings?? in
            guard !traffic.isReplaced else { return nil }
            try traffic.take(&checkpoint, after: orders, begun, ended)
            // Under this lock: who connects takes the state from the traffic, or has the checkpoint applied.
            let around = surroundings.withLock { $0 }
            if around != nil { traffic.unapplied.append(checkpoint) }
            return around
        }
        guard let around = counted else { return }
        guard let around else {
            // The first state, for which somebody waits; those that follow one that was given are known already.
            if let beginning = ready.take() {
                if let state = checkpoint.state { box.take(state) }
                tell(.ready(beginning))
            }
            return
        }
        // A worker that tells more than the host can process waits in its ring.
        while room.wait(timeout: .now() + .milliseconds(100)) != .success {
            if isOver.load(ordering: .acquiring) { break }
        }
        around.drain.enqueue { [weak self] in
            guard let self else { return }
            room.signal()
            applyNext()
        }
    }

    /// Does what the first checkpoint says that is not done yet; called in the drain.
    ///
    /// - Returns: false where there is none.
    @discardableResult
    private func applyNext() -> Bool {
        guard let checkpoint = traffic.withLock({ $0.unapplied.first }) else { return false }
        apply(checkpoint)
        traffic.withLock { traffic in
            traffic.at = max(traffic.at, checkpoint.reached)
            traffic.unapplied.removeFirst()
        }
        return true
    }

    /// Takes note that another instance takes over, and gives what it needs beside the state, which is that of the last checkpoint from
    /// here on; called in the drain.
    ///
    /// - Returns: the actions that the state does not have, see `KeptOrders.unreduced`, and where an instance stands that does not reduce
    ///   them; nil where there are none.
    func hand() -> (unreduced: [LateAction], standing: Standing?) {
        send()
        traffic.withLock { $0.isReplaced = true }
        while applyNext() {}
        let missed = missed
        return traffic.withLock { ($0.kept.unreduced, missed ?? $0.kept.standing) }
    }

    /// Lets the run no longer wait for anything that the worker has; called in the drain, when others have it.
    func letGo() {
        guard let desk else { return }
        if held > 0 { desk.activity.end(.finishing, held) }
        held = 0
        count(WorkerCounts())
    }

    /// Lets the activity count so many effects of the worker instead of those before; called in the drain.
    func count(_ effects: WorkerCounts) {
        guard let desk, effects != counted else { return }
        effects.begin(beyond: counted, in: desk.activity)
        // What they have emitted is processed before they are over.
        desk.queue.enqueueAtRest { [before = counted, activity = desk.activity] in
            before.end(beyond: effects, in: activity)
        }
        counted = effects
    }

    /// Does what a checkpoint says; called in the drain.
    private func apply(_ checkpoint: TakenCheckpoint) {
        guard let instance, let store else { return }
        if let state = checkpoint.state { box.take(state) }
        checkpoint.settle(in: instance.log) { output in
            store.queue.mark = output.sequence | (output.isLate ? Drain.effectMark : 0)
            instance.output.dispatch(output.action, from: output.source)
            store.queue.mark = 0
        }
        count(checkpoint.effects)
        endRun(waitingFor: checkpoint.done)
        if checkpoint.state != nil { store.generation?.tellChange() }
    }
}
