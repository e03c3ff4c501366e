// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK

// The clerk of a simulated host, which hears the actions of writers and those that follow in their pass, in a worker.
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

    /// Begins the worker with a state that another life or another worker has left; nil for none.
    ///
    /// - Parameter form: that of its code, which migrates an older state; nil for that of the state.
    func beginClerk(with state: VersionedState?, form: Int? = nil) {
        do {
            link = try SimulatedLink(
                recorder, state: ClerkState(state), form: form ?? state?.version ?? 1,
                after: recorder.sequence,
                defect)
        } catch {
            faults.append("the worker does not begin: \(error)")
        }
    }

    /// Lets the clerk start.
    func startClerk() { withLink { try $0.start() } }

    /// Shows the worker what has not come to its end, in groups as a generation does.
    func showClerk(_ effects: [JournalEffect]) {
        var rest = effects[...]
        while let first = rest.first {
            let count = EffectFate.together(rest)
            defer { rest = rest.dropFirst(max(count, 1)) }
            if count == 0 { faults.append("effect \(first.number) of the worker does not begin again") }
            if let reason = EffectFate.refusal(of: first) {
                faults.append("effect \(first.number) of the worker is not shown: \(reason)")
                continue
            }
            for effect in rest.prefix(count) { book.show(effect) }
            coverage.count("actions shown once more", UInt64(count))
            if defect != .lostActions { withLink { try $0.show(Array(rest.prefix(count))) } }
        }
    }

    /// Waits until the worker has answered all that it was given, as a reload does.
    func settleClerk() {
        while let link, !link.isAnswered || link.hasJobs, faults.isEmpty {
            driveWorker(endingEffects: false)
        }
    }

    /// Lets another worker take over, which begins with the state of the one before and reduces what that has not answered; when the drain
    /// has done what was left to it. It is to be started, and shown what has not ended.
    ///
    /// - Returns: what has not ended.
    func replaceClerk(migrating migrates: Bool) -> [JournalEffect]? {
        guard let old = link, let left = withLink({ try $0.takeUnfinished() }) else { return nil }
        coverage.count("workers that took over at a reload")
        coverage.count("actions reduced by workers that took over", UInt64(left.unreduced.count))
        if migrates {
            coverage.count("migrations of a worker's state")
            book.migrate(old.state, after: recorder.sequence)
        }
        beginClerk(with: old.state?.versioned, form: old.form + (migrates ? 1 : 0))
        withLink { try $0.reduce(left.unreduced) }
        return left.effects
    }

    // MARK: - In the drain

    /// Gives the clerk the action in hand.
    func hear(_ action: ClerkAction, as sequence: UInt64, from source: ActionSource) {
        let key = recorder.key(of: sequence, for: ClerkState.instance)
        book.give(action, as: sequence, key: key)
        if link?.isOut == true { book.miss(sequence) }
        guard link?.isClosed != true else {
            coverage.count("actions for workers that were given up")
            return book.leaveOut(sequence, letter: bury(.unfinished))
        }
        coverage.count("actions given to workers")
        withLink { try $0.hear(action.told, as: sequence, from: source) }
    }

    /// Gives what was gathered.
    func sendToWorker() { withLink { try $0.send() } }

    /// Copies the clerk's state for a snapshot; nil after a fault.
    func copyClerk() -> SliceCopy? {
        let copy = withLink { try $0.copy() }
        if link?.isCopying == true { coverage.count("snapshots that wait for a worker") }
        return copy
    }

    /// Copies the clerk's state for the record of a generation that has migrated it; nil after a fault.
    func copyMigratedClerk() -> SliceCopy? {
        guard defect != .lostMigrations else { return nil }
        guard defect == .staleRecords, let state = link?.state else { return copyClerk() }
        return { () throws(CodingFailure) in state.value }
    }

    /// Does the next thing that was left to the drain.
    func performJob() {
        let isDue = withLink { link in
            try link.performJob { output, isLast in
                guard let told = output.action.payload?["n"]?.intValue else { return }
                coverage.count("actions that workers have emitted")
                let source = output.source.emitted(by: ClerkState.instance)
                    .caused(by: ActionCause(output.isLate ? .effect : .output, output.sequence))
                record(told, from: source, isInput: false, isIdle: isLast)
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
            for effect in link.worker.begun { book.begin(effect) }
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
