// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK

/// What comes at a reload in the place of a clerk.
struct NextClerk {
    /// Whether its code migrates the state.
    let migrates: Bool
    /// Whether it runs in a worker.
    let isInWorker: Bool
}

// The clerk of a simulated host, which hears the actions of writers and those that follow in their pass, in a worker or in the host.
extension SimulatedHost {
    /// Does something with the link; what is thrown is a fault.
    private func withLink<Result>(_ body: (SimulatedLink) throws -> Result) -> Result? {
        guard let link else { return nil }
        do {
            return try body(link)
        } catch {
            faults.append("host and worker do not agree: \(error)")
            return nil
        }
    }

    // MARK: - From one instance to the next

    /// Begins the clerk with a state that another life or another instance has left; nil for none.
    ///
    /// - Parameter form: that of its code, which migrates an older state; nil for that of the state.
    func beginClerk(with state: VersionedState?, form: Int? = nil, inWorker isInWorker: Bool) {
        let form = form ?? state?.version ?? 1
        guard isInWorker else {
            resident = ResidentClerk(recorder, state: ClerkState(state), form: form, defect)
            return
        }
        do {
            link = try SimulatedLink(
                recorder, state: ClerkState(state), form: form, after: recorder.sequence, defect)
        } catch {
            faults.append("the worker does not begin: \(error)")
        }
    }

    /// The last state of the clerk that is known; nil before its worker has told one.
    var clerkState: ClerkState? { resident?.state ?? link?.state }

    /// The version of the form of the state that its code has.
    var clerkForm: Int { resident?.state.form ?? link?.form ?? 1 }

    /// Lets the clerk start.
    func startClerk() { withLink { try $0.start() } }

    /// Shows the clerk what has not come to its end, as a generation does.
    func showClerk(_ effects: [JournalEffect]) {
        beginHaste()
        // They wait in the queue, as what is told does.
        var answers: [(sequence: UInt64, told: Int)] = []
        var interrupted: [JournalEffect] = []
        for effects in EffectFate.groups(of: effects.sorted { $0.number < $1.number }) {
            let first = effects[0]
            if let reason = EffectFate.refusal(of: first) {
                faults.append("effect \(first.number) of the clerk is not shown: \(reason)")
                continue
            }
            guard first.recovery == .again else {
                interrupted.append(first)
                continue
            }
            note(showing: effects)
            guard defect != .lostActions else { continue }
            if let resident, let action = first.action.flatMap(ClerkAction.init) {
                let (begun, answer) = resident.show(action, beginning: effects)
                book.hear(first.sequence, beginning: begun)
                haste.body?()
                if let answer { answers.append((first.sequence, answer)) }
            } else {
                withLink { try $0.show(effects) }
            }
        }
        haste.body = nil
        for (index, answer) in answers.enumerated() {
            record(
                answer.told, of: .output, after: answer.sequence, isIdle: index == answers.count - 1)
        }
        for effect in interrupted {
            tell(effect)
            recorder.end(effect: effect.number)
        }
        recorder.rest()
    }

    /// Every second time, has what is new written in the midst of what follows.
    private func beginHaste() {
        guard recorder.sequence % 2 == 0 else { return }
        hurry()
        haste.body = { [unowned self] in hurry() }
    }

    /// Takes note that the clerk is shown an action once more.
    ///
    /// - Parameter effects: those that have not ended; not empty.
    private func note(showing effects: [JournalEffect]) {
        book.show(effects)
        coverage.count("actions shown once more")
        if resident != nil, effects[0].standsForAll {
            coverage.count("actions that left a worker")
        }
        if link != nil, !effects[0].standsForAll { coverage.count("actions that began again in a worker") }
    }

    /// Records that people are told of an effect that was interrupted.
    private func tell(_ effect: JournalEffect) {
        guard let action = effect.action.flatMap(ClerkAction.init) else { return }
        coverage.count("effects of the clerk told as interrupted")
        book.interrupt(effect)
        record(action.interruption, of: .unknown, after: 0, isIdle: true)
    }

    /// Waits until the worker has answered all that it was given, as a reload does.
    func settleClerk() {
        while let link, !link.isAnswered || link.hasJobs, faults.isEmpty {
            driveWorker(endingEffects: false)
        }
    }

    /// Lets another instance take over, which begins with the state of the one before and reduces what that has not answered; when the
    /// drain has done what was left to it. It is to be started, and shown what has not ended.
    ///
    /// - Returns: what has not ended; nil after a fault.
    func replaceClerk(by next: NextClerk) -> [JournalEffect]? {
        let (state, form) = (clerkState, clerkForm)
        let left: (effects: [JournalEffect], unreduced: [(action: AnyAction, time: Double?)])
        if let resident {
            left = (resident.takeUnfinished(), [])
            coverage.count(next.isInWorker ? "moves into a worker" : "instances that took over in the host")
        } else {
            guard let unfinished = withLink({ try $0.takeUnfinished() }) else { return nil }
            left = unfinished
            coverage.count(next.isInWorker ? "workers that took over at a reload" : "moves out of a worker")
            coverage.count("actions reduced by instances that took over", UInt64(left.unreduced.count))
        }
        (link, resident) = (nil, nil)
        if next.migrates {
            coverage.count("migrations of the clerk's state")
            book.migrate(state, after: recorder.sequence)
        }
        beginClerk(
            with: state?.versioned, form: form + (next.migrates ? 1 : 0), inWorker: next.isInWorker)
        withLink { try $0.reduce(left.unreduced) }
        if let resident {
            for action in left.unreduced.compactMap({ ClerkAction($0.action) }) { resident.reduce(action) }
        }
        return left.effects
    }

    // MARK: - In the drain

    /// Gives the clerk the action in hand; gives what it says that the clerk emits on the spot, nil for nothing or for what comes later.
    func hear(_ action: ClerkAction, as sequence: UInt64, from source: ActionSource) -> Int? {
        let key = recorder.key(of: sequence, for: ClerkState.instance)
        name(key, after: action.told)
        book.give(action, as: sequence, key: key, input: recorder.origin(of: sequence).input)
        if let resident {
            book.hear(sequence, beginning: resident.hear(action, as: sequence, from: source))
            book.check(resident.state)
            return action.answer
        }
        if link?.isOut == true { book.miss(sequence) }
        guard link?.isClosed != true else {
            coverage.count("actions for workers that were given up")
            book.leaveOut(sequence, letter: bury(.unfinished))
            return nil
        }
        coverage.count("actions given to workers")
        withLink { try $0.hear(action.told, as: sequence, from: source) }
        return nil
    }

    /// Records an action that the clerk has emitted.
    func record(_ told: Int, of kind: ActionCause.Kind, after sequence: UInt64, isIdle: Bool) {
        let source = ActionSource(file: "clerk", function: "", line: 1, info: nil)
            .emitted(by: ClerkState.instance).caused(by: ActionCause(kind, sequence))
        record(told, from: source, isInput: false, isIdle: isIdle)
    }

    /// Ends an effect of the clerk in the host, which emits an action before.
    func endResidentEffect(at index: Int) {
        guard let resident else { return }
        let effect = resident.running[index]
        record(effect.action.late, of: .effect, after: effect.sequence, isIdle: true)
        resident.end(at: index)
        book.end(effect.ordinal, of: effect.sequence)
        coverage.count("effects of the clerk that ended in the host")
    }

    /// Gives what was gathered.
    func sendToWorker() { withLink { try $0.send() } }

    /// Copies the clerk's state for a snapshot; nil after a fault.
    func copyClerk() -> SliceCopy? {
        if let resident {
            let value = resident.state.value
            return { () throws(CodingFailure) in value }
        }
        let copy = withLink { try $0.copy() }
        if link?.isCopying == true { coverage.count("snapshots that wait for a worker") }
        return copy
    }

    /// Copies the clerk's state for the record of a generation that has migrated it; nil after a fault.
    func copyMigratedClerk() -> SliceCopy? {
        guard defect != .lostMigrations else { return nil }
        guard defect == .staleRecords, link != nil, let state = clerkState else { return copyClerk() }
        return { () throws(CodingFailure) in state.value }
    }

    /// Does the next thing that was left to the drain.
    func performJob() {
        beginHaste()
        defer { haste.body = nil }
        let isDue = withLink { link in
            try link.performJob { output, isLast in
                guard let told = output.action.payload?["n"]?.intValue else { return }
                coverage.count("actions that workers have emitted")
                let isUnknown = output.isLate || defect == .lostOrigins
                let source = output.source.emitted(by: ClerkState.instance)
                    .caused(by: ActionCause(isUnknown ? .effect : .output, output.sequence))
                record(told, from: source, isInput: false, isIdle: isLast)
            } telling: { effect in
                tell(effect)
            } givingUp: { actions in
                coverage.count(
                    "actions that workers had not done when they were given up", UInt64(actions.count))
                for sequence in actions { book.leaveOut(sequence, letter: bury(.unfinished)) }
            }
        }
        if isDue == true { snapshot() }
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
    }

    /// Takes the next thing that the worker has told; false where there is none.
    @discardableResult
    func takeFromWorker() -> Bool {
        withLink { link in
            if link.worker.told.count > 1 { coverage.count("checkpoints that came late") }
            guard let told = try link.take() else { return false }
            book.take(told)
            if let state = link.state { book.check(state) }
            return true
        } ?? false
    }

    /// Lets the worker's process die, and no other one begin until a reload.
    func giveUpClerk() {
        guard link?.isOut == false else { return }
        while takeFromWorker() {}
        coverage.count("workers that were given up")
        link?.giveUp()
        if let state = link?.state { book.giveUp(with: state) }
    }

    /// Lets the worker's process die; another one goes on.
    ///
    /// - Parameter leavesOut: of the action in hand and the one whose effects are open, the one that may have ended it and is left out;
    ///   called when all that it has told is taken.
    func endWorker(_ leavesOut: ((inHand: UInt64?, open: UInt64?)) -> UInt64?) {
        guard link?.isOut == false else { return }
        while takeFromWorker() {}
        coverage.count("deaths of workers")
        withLink { link in
            try link.die {
                guard let sequence = leavesOut(link.suspects), let isHeard = link.leaveOut(sequence) else {
                    return
                }
                coverage.count(
                    isHeard ? "actions with effects left out by workers" : "actions left out by workers")
                if !isHeard { book.miss(sequence) }
                book.leaveOut(sequence, letter: bury(.setAside))
            }
        }
    }

    /// Lets the worker do all that it was given, tell it, and have it taken and done.
    func driveWorker(endingEffects ends: Bool) {
        sendToWorker()
        withWorker { worker in
            try worker.read(atMost: 1 << 16)
            while worker.carryOut() {}
            if ends { for number in worker.effects.keys.sorted() { worker.end(effect: number) } }
            worker.tell()
        }
        while takeFromWorker() {}
        while link?.hasJobs == true { performJob() }
    }
}
