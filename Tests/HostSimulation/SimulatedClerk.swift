// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK

/// What comes at a reload in the place of an instance.
struct NextClerk {
    /// Whether its code migrates the state.
    let migrates: Bool
    /// Whether it runs in a worker.
    let isInWorker: Bool
    /// Whether the effects of the one before are stopped first.
    var stopsBefore = false
}

/// The clerk or the scribe of a simulated host over one life of that: which instances stand for it one after the other, in a worker or in the
/// host, and what becomes of the actions that they are given.
final class SimulatedClerk {
    /// The host, which keeps it.
    private unowned let host: SimulatedHost
    /// Leads to the instance in its worker; nil where it is in none, and before it has begun.
    private(set) var link: SimulatedLink?
    /// The instance in the host; nil where it is in a worker, and before it has begun.
    private(set) var resident: ResidentClerk?
    /// What became of its actions, in all lives.
    var book: ClerkBook
    /// Whether its gate is open, which follows the host's state.
    private(set) var isOpen = true

    /// One that has not begun.
    ///
    /// - Parameter book: what became of its actions in the lives before.
    init(_ book: ClerkBook, in host: SimulatedHost) { (self.book, self.host) = (book, host) }

    /// Which it is.
    var id: ClerkID { book.id }

    /// Does something with the link; what is thrown is a fault.
    private func withLink<Result>(_ body: (SimulatedLink) throws -> Result) -> Result? {
        guard let link else { return nil }
        do {
            return try body(link)
        } catch {
            host.faults.append("host and worker do not agree: \(error)")
            return nil
        }
    }

    // MARK: - From one instance to the next

    /// Begins with a state that another life or another instance has left; nil for none.
    ///
    /// - Parameter form: that of its code, which migrates an older state; nil for that of the state.
    func begin(with state: VersionedState?, form: Int? = nil, inWorker isInWorker: Bool) {
        let form = form ?? state?.version ?? 1
        guard isInWorker else {
            resident = ResidentClerk(
                id, host.recorder, host.drain, state: ClerkState(state), form: form, host.defect)
            return
        }
        do {
            link = try SimulatedLink(
                id, host.recorder, host.drain, state: ClerkState(state), form: form,
                after: host.recorder.sequence, host.defect)
        } catch {
            host.faults.append("the worker does not begin: \(error)")
        }
    }

    /// Whether nothing is left to do.
    var isIdle: Bool { link?.isIdle ?? true && resident?.running.isEmpty ?? true }

    /// The last state that is known; nil before its worker has told one.
    var state: ClerkState? { resident?.state ?? link?.state }

    /// The version of the form of the state that its code has.
    var form: Int { resident?.state.form ?? link?.form ?? 1 }

    /// Begins behind a gate that has stood there before.
    func begin(behindOpenGate isOpen: Bool) { self.isOpen = isOpen }

    /// Lets the instance start.
    func start() { withLink { try $0.start() } }

    /// Shows the instance what has not come to its end, as a generation does.
    ///
    /// - Returns: what it emits on the spot, and after which actions; and the effects that people are to be told of as interrupted.
    func show(_ effects: [JournalEffect]) -> (
        answers: [(sequence: UInt64, told: Int)], interrupted: [JournalEffect]
    ) {
        var answers: [(sequence: UInt64, told: Int)] = []
        var interrupted: [JournalEffect] = []
        beginHaste()
        defer { host.haste.body = nil }
        for effects in EffectFate.groups(of: effects.sorted { $0.number < $1.number }) {
            let first = effects[0]
            if let reason = EffectFate.refusal(of: first) {
                host.faults.append("effect \(first.number) of the \(id) is not shown: \(reason)")
                continue
            }
            guard first.recovery == .again else {
                interrupted.append(first)
                continue
            }
            guard isOpen || !id.endsEffects else {
                host.coverage.count("actions that are not shown once more behind a closed gate")
                book.end(effects.map(\.sequence), after: 0, at: host.recorder.sequence)
                for effect in effects { host.recorder.end(effect: effect.number) }
                continue
            }
            note(showing: effects)
            guard host.defect != .lostActions else { continue }
            if let resident, let action = first.action.flatMap({ ClerkAction($0, for: id) }) {
                let (begun, answer) = resident.show(action, beginning: effects)
                book.hear(first.sequence, beginning: begun)
                host.haste.body?()
                if let answer { answers.append((first.sequence, answer)) }
            } else {
                withLink { try $0.show(effects) }
            }
        }
        return (answers, interrupted)
    }

    /// Every second time, has what is new written in the midst of what follows.
    private func beginHaste() {
        guard host.recorder.sequence % 2 == 0 else { return }
        host.hurry()
        host.haste.body = { [unowned host] in host.hurry() }
    }

    /// Takes note that the instance is shown an action once more.
    ///
    /// - Parameter effects: those that have not ended; not empty.
    private func note(showing effects: [JournalEffect]) {
        book.show(effects)
        host.coverage.count("actions shown once more")
        if resident != nil, effects[0].standsForAll { host.coverage.count("actions that left a worker") }
        if link != nil, !effects[0].standsForAll {
            host.coverage.count("actions that began again in a worker")
        }
    }

    /// Records that people are told of an effect that was interrupted.
    func tell(_ effect: JournalEffect) {
        guard let action = effect.action.flatMap({ ClerkAction($0, for: id) }) else { return }
        host.coverage.count("effects of the clerk told as interrupted")
        book.interrupt(effect)
        // The host says so, whether the gate is open or not.
        host.record(
            action.interruption, from: source(.unknown, after: 0), isInput: false, isIdle: true)
    }

    /// Waits until the worker has answered all that it was given, as a reload does.
    func settle() {
        while let link, !link.isAnswered || link.hasJobs, host.faults.isEmpty {
            driveWorker(endingEffects: false)
        }
    }

    /// Moves the gate, which ends the effects or drops what they emit.
    ///
    /// - Parameter sequence: the action that moves it, which a journal has with what it ends; 0 for none.
    func moveGate(isOpen: Bool, after sequence: UInt64) {
        guard isOpen != self.isOpen else { return }
        self.isOpen = isOpen
        host.coverage.count(isOpen ? "gates that opened" : "gates that closed")
        let ends = !isOpen && id.endsEffects
        var ended = ends ? resident?.endEffects() ?? [] : []
        ended += withLink { try $0.moveGate(isOpen: isOpen, endingEffects: ends) } ?? []
        host.coverage.count("actions whose effects ended behind a gate", UInt64(Set(ended).count))
        book.end(ended, after: sequence, at: host.recorder.sequence)
    }

    /// Stops the effects, which have not ended by that, because another instance takes over, or because the host ends.
    func stopEffects(isAtEnd: Bool) {
        host.coverage.count("instances whose effects were stopped")
        if let resident { host.drain.withExclusiveAccess { resident.stopEffects() } }
        withLink { try $0.stopEffects(isAtEnd: isAtEnd) }
    }

    /// Lets another instance take over, which begins with the state of the one before and reduces what that has not answered; when the
    /// drain has done what was left to it. It is to be started, and shown what has not ended.
    ///
    /// - Returns: what has not ended; nil after a fault.
    func replace(by next: NextClerk) -> [JournalEffect]? {
        let (state, form) = (state, form)
        let left: (effects: [JournalEffect], unreduced: [LateAction])
        if let resident {
            left = (resident.takeUnfinished(), [])
            host.coverage.count(
                next.isInWorker ? "moves into a worker" : "instances that took over in the host")
        } else {
            guard let unfinished = withLink({ try $0.takeUnfinished() }) else { return nil }
            left = unfinished
            host.coverage.count(
                next.isInWorker ? "workers that took over at a reload" : "moves out of a worker")
            host.coverage.count("actions reduced by instances that took over", UInt64(left.unreduced.count))
        }
        (link, resident) = (nil, nil)
        if next.migrates {
            host.coverage.count("migrations of the clerk's state")
            book.migrate(state, after: host.recorder.sequence)
        }
        begin(
            with: state?.versioned, form: form + (next.migrates ? 1 : 0), inWorker: next.isInWorker)
        withLink { try $0.reduce(left.unreduced) }
        if let resident {
            for action in left.unreduced.compactMap({ ClerkAction($0.action, for: id) }) {
                resident.reduce(action)
            }
        }
        return left.effects
    }

    // MARK: - In the drain

    /// Gives the instance the action in hand, if it hears that; gives what the action says that it emits on the spot, nil for nothing or for
    /// what comes later.
    func hear(_ told: Int, as sequence: UInt64, from source: ActionSource) -> Int? {
        guard let action = ClerkAction(told, for: id) else { return nil }
        guard isOpen else {
            host.coverage.count("actions that a closed gate keeps out")
            return nil
        }
        if ClerkAction.isAnswer(told) { host.coverage.count("actions of one instance that another hears") }
        let key = host.recorder.key(of: sequence, for: id.rawValue)
        host.name(key, after: told)
        book.give(action, as: sequence, key: key, input: host.recorder.origin(of: sequence).input)
        if let resident {
            book.hear(sequence, beginning: resident.hear(action, as: sequence, from: source))
            book.check(resident.state)
            return action.answer
        }
        if link?.isOut == true { book.miss(sequence) }
        guard link?.isClosed != true else {
            host.coverage.count("actions for workers that were given up")
            book.leaveOut(sequence, letter: host.bury(.unfinished))
            return nil
        }
        host.coverage.count("actions given to workers")
        withLink { try $0.hear(told, as: sequence, from: source) }
        return nil
    }

    /// Records an action that the instance has emitted, unless its gate is closed.
    func record(
        _ told: Int, of kind: ActionCause.Kind, after sequence: UInt64, from source: ActionSource? = nil,
        isIdle: Bool
    ) {
        guard isOpen else {
            host.coverage.count("actions that a closed gate drops")
            return book.drop(after: sequence, at: host.recorder.sequence)
        }
        host.record(
            told, from: self.source(kind, after: sequence, at: source), isInput: false, isIdle: isIdle)
    }

    /// Where it emits actions that follow from one.
    ///
    /// - Parameter place: what its worker has told of that; nil for one that has none.
    private func source(
        _ kind: ActionCause.Kind, after sequence: UInt64, at place: ActionSource? = nil
    ) -> ActionSource {
        (place ?? ActionSource(file: "clerk", function: "", line: 1, info: nil))
            .emitted(by: name).caused(by: ActionCause(kind, sequence))
    }

    /// Ends an effect of the instance in the host, which emits an action before.
    func endResidentEffect(at index: Int) {
        guard let resident else { return }
        let effect = resident.running[index]
        record(effect.action.late, of: .effect, after: effect.sequence, isIdle: true)
        resident.end(at: index)
        book.end(effect.ordinal, of: effect.sequence)
        host.coverage.count("effects of the clerk that ended in the host")
    }

    /// What tells by whom its actions are emitted.
    private var name: String { host.defect == .namelessEmitters ? "" : id.rawValue }

    /// Gives what was gathered.
    func sendToWorker() { withLink { try $0.send() } }

    /// Copies the state for a snapshot; nil after a fault.
    func copy() -> SliceCopy? {
        if let resident {
            let value = resident.state.value
            return { () throws(CodingFailure) in value }
        }
        let copy = withLink { try $0.copy() }
        if link?.isCopying == true { host.coverage.count("snapshots that wait for a worker") }
        return copy
    }

    /// Copies the state for the record of a generation that has migrated it; nil after a fault.
    func copyMigrated() -> SliceCopy? {
        guard host.defect != .lostMigrations else { return nil }
        guard host.defect == .staleRecords, link != nil, let state else { return copy() }
        return { () throws(CodingFailure) in state.value }
    }

    /// Does the next thing that was left to the drain.
    func performJob() {
        beginHaste()
        defer { host.haste.body = nil }
        let isDue = withLink { link in
            try link.performJob { output, isLast in
                guard let told = output.action.payload?["n"]?.intValue else { return }
                host.coverage.count("actions that workers have emitted")
                if !book.mayLead(output.sequence, to: told, isLate: output.isLate) {
                    host.faults.append("\(told) of the \(id) does not follow from action \(output.sequence)")
                }
                let isUnknown = output.isLate || host.defect == .lostOrigins
                record(
                    told, of: isUnknown ? .effect : .output, after: output.sequence, from: output.source,
                    isIdle: isLast)
            } telling: { effect in
                tell(effect)
            } givingUp: { actions in
                host.coverage.count(
                    "actions that workers had not done when they were given up", UInt64(actions.count))
                for sequence in actions { book.leaveOut(sequence, letter: host.bury(.unfinished)) }
            }
        }
        if isDue == true { host.snapshot() }
    }

    // MARK: - The worker's process

    /// Lets the process do something.
    func withWorker(_ body: (SimulatedWorker) throws -> Void) {
        guard link?.isOut == false else { return }
        withLink { link in
            try body(link.worker)
            for effect in link.worker.begun {
                book.begin(
                    effect, running: link.worker.effects.values.count { $0.sequence == effect.sequence })
            }
            link.worker.begun = []
        }
        if let fatal = link?.worker.fatal { host.endWorker(of: self, by: .action(fatal), isKnown: true) }
    }

    /// Takes the next thing that the worker has told; false where nothing of it is whole.
    ///
    /// - Parameter count: the most bytes to take.
    @discardableResult
    func takeFromWorker(atMost count: Int = 1 << 16) -> Bool {
        withLink { link in
            let waiting = link.worker.told.count
            guard let told = try link.take(atMost: count) else { return false }
            if waiting > 1 { host.coverage.count("checkpoints that came late") }
            book.take(told)
            if let state = link.state { book.check(state) }
            if let isOpen = link.answeredGate, told.isOpen != isOpen {
                host.faults.append("the \(id) believes that its gate is \(isOpen ? "closed" : "open")")
            }
            return true
        } ?? false
    }

    /// Lets the worker's process die, which has told what was taken; another one goes on.
    ///
    /// - Parameters:
    ///   - isOthersDoing: whether an instance that shared it has ended it.
    ///   - sequences: the actions that are left out.
    func endWorker(isOthersDoing: Bool, leavingOut sequences: [UInt64]) {
        withLink { link in
            try link.die(keepingState: !isOthersDoing || host.defect != .forgottenNeighbours) {
                for sequence in sequences {
                    guard let isHeard = link.leaveOut(sequence) else { continue }
                    host.coverage.count(
                        isHeard ? "actions with effects left out by workers" : "actions left out by workers")
                    if !isHeard { book.miss(sequence) }
                    book.leaveOut(sequence, letter: host.bury(.setAside))
                }
            }
            book.check(given: link.actionsWithEffects)
        }
    }

    /// Lets the worker's process die, which has told what was taken, and no other one begin until a reload.
    func giveUp() {
        host.coverage.count("workers that were given up")
        link?.giveUp()
        if let state = link?.state { book.giveUp(with: state) }
    }

    /// Lets the worker do all that it was given, tell it, and have it taken and done.
    func driveWorker(endingEffects ends: Bool) {
        sendToWorker()
        withWorker { try $0.read(atMost: 1 << 16) }
        letWorkerTell { $0.carryOut() }
        withWorker { worker in
            if ends { for number in worker.effects.keys.sorted() { worker.end(effect: number) } }
        }
        letWorkerTell { worker in
            worker.tell()
            return false
        }
        while link?.hasJobs == true { performJob() }
    }

    /// Lets the worker do something as long as there is more to do, and write and take what it tells of that.
    private func letWorkerTell(_ body: (SimulatedWorker) -> Bool) {
        var isGoing: Bool
        repeat {
            isGoing = false
            withWorker { worker in
                let wasBlocked = worker.isBlocked
                isGoing = body(worker)
                try worker.send()
                if wasBlocked || worker.isBlocked { isGoing = true }
            }
            while takeFromWorker() {}
        } while isGoing && host.faults.isEmpty
    }
}
