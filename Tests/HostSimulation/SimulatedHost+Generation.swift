// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK
import GatehouseSupport

// The snapshots and generations of a simulated host.
extension SimulatedHost {
    /// Takes a snapshot of the state.
    func snapshot() {
        recorder.handOver()
        let state = tape.with { $0.state }
        let copies = clerks.compactMap { $0.copy() }
        guard copies.count == clerks.count else { return }
        let planned = plannedClerks
        writer.write(
            JournalSnapshot(sequence: recorder.sequence, generation: generation) { [quarantine] in
                // A closure that throws what it says cannot be mapped over.
                var states: [Value] = []
                for copy in copies { states.append(try copy()) }
                return state.saved(quarantine: quarantine, planned, states)
            })
        coverage.count("snapshots")
    }

    /// Lets the next generation take over.
    ///
    /// - Parameters:
    ///   - successors: how other instances take over from clerk and scribe; nil for one that stays.
    ///   - sharing: whether those that come into workers now share one.
    ///   - waits: whether it waits until the one before has answered all that it was given, which a worker that hangs does not do.
    func reload(
        migrates: Bool, _ successors: [NextClerk?], sharing: Bool, waiting waits: Bool,
        under supervisor: SimulatedSupervisor
    ) {
        let replaced = zip(clerks, successors).compactMap { clerk, next in
            next.map { (clerk: clerk, next: $0) }
        }
        for (clerk, next) in replaced {
            if next.stopsBefore { clerk.stopEffects(isAtEnd: false) }
            while clerk.link?.hasJobs == true { clerk.performJob() }
            if waits { clerk.settle() }
        }
        // A snapshot that waits for a worker that hangs would come to nothing, and be reported.
        while let (clerk, _) = replaced.first(where: { $0.clerk.link?.isCopying == true }), isSound {
            clerk.settle()
        }
        generation += 1
        recorder.generation = generation
        // What the instance has running goes to the one that takes over, or waits for one.
        inherited += effects
        effects = []
        if !replaced.isEmpty { isShared = sharing && replaced.count == clerks.count }
        let left = replaced.compactMap { clerk, next in
            clerk.replace(by: next).map { (clerk: clerk, effects: $0) }
        }
        var migrated: [ClerkID: SliceCopy] = [:]
        for (clerk, next) in replaced where next.migrates { migrated[clerk.id] = clerk.copyMigrated() }
        swap(migrates: migrates, migrated, under: supervisor)
        for (clerk, _) in left { clerk.start() }
        show(left)
        beginInherited()
        coverage.count(migrates ? "reloads with a migration" : "reloads")
    }

    /// Lets a generation take over that has another library of the ledger, and is to be taken back; gives the state before.
    func tryChange(under supervisor: SimulatedSupervisor) -> SimulatedState {
        let before = tape.with { content in
            defer { content.state.trials += 1 }
            return content.state
        }
        tried = []
        reload(
            migrates: true, clerks.map { _ in nil }, sharing: isShared, waiting: false, under: supervisor)
        return before
    }

    /// Lets the generation before run again with a state, because the one that runs has failed.
    func takeBack(to before: SimulatedState, under supervisor: SimulatedSupervisor) {
        let passed = tried ?? []
        tried = nil
        generation -= 1
        recorder.generation = generation
        inherited += effects
        effects = []
        var state = before
        // What has come between is reduced late.
        if supervisor.quarantine(of: state.form) == nil { for told in passed { state.reduce(told) } }
        tape.with { [state] in $0.state = state }
        swap(migrates: false, isBack: true, under: supervisor)
        moveGates(after: 0)
        beginInherited()
        coverage.count("changes that were taken back")
    }

    /// Shows instances what has not come to its end.
    func show(_ left: [(clerk: SimulatedClerk, effects: [JournalEffect])]) {
        var answers: [(clerk: SimulatedClerk, sequence: UInt64, told: Int)] = []
        var interrupted: [(clerk: SimulatedClerk, effect: JournalEffect)] = []
        for (clerk, effects) in left {
            let shown = clerk.show(effects)
            answers += shown.answers.map { (clerk, $0.sequence, $0.told) }
            interrupted += shown.interrupted.map { (clerk, $0) }
        }
        // They wait in the queue, as what is told does.
        for (index, answer) in answers.enumerated() {
            answer.clerk.record(
                answer.told, of: .output, after: answer.sequence, isIdle: index == answers.count - 1)
        }
        for (clerk, effect) in interrupted {
            clerk.tell(effect)
            recorder.end(effect: effect.number)
        }
        recorder.rest()
    }

    /// How clerk and scribe stand in its plan.
    private var plannedClerks: [PlannedClerk] {
        clerks.map { PlannedClerk(id: $0.id, form: $0.form, isInWorker: $0.link != nil) }
    }

    /// Records a generation.
    ///
    /// - Parameters:
    ///   - copies: of the states of clerk and scribe, where those were migrated; the thread that writes waits for them.
    ///   - isBack: whether the generation comes back because the next one has failed.
    func swap(
        migrates: Bool, _ copies: [ClerkID: SliceCopy] = [:], isFirst: Bool = false, isBack: Bool = false,
        under supervisor: SimulatedSupervisor
    ) {
        recorder.handOver()
        let state = tape.with { content in
            if migrates { content.state.migrate() }
            let state = content.state
            content.past.append { moment in
                moment.state = state
                moment.generations += 1
            }
            return state
        }
        quarantine = supervisor.quarantine(of: state.form)
        let (after, number) = (recorder.sequence, generation)
        let planned = plannedClerks
        let plan = SimulatedState.plan(state.form, planned, quarantine: quarantine)
        var change = SimulatedState.change(planned.map(\.id))
        if tried != nil { change.patch = state.patch }
        let isRestored = isBack && defect != .lostReturns
        if isRestored { change.restored = state.plain }
        if migrates || isFirst || isRestored { change.made[SimulatedState.instance] = state.versioned }
        if isFirst { for clerk in planned { change.made[clerk.id.rawValue] = ClerkState().versioned } }
        let made = change
        if !copies.isEmpty { isRecordWaiting = true }
        writer.begin { epoch, time, onDiagnostic in
            var change = made
            do throws(CodingFailure) {
                for clerk in planned {
                    guard let copy = copies[clerk.id] else { continue }
                    change.made[clerk.id.rawValue] = VersionedState(version: clerk.form, value: try copy())
                }
            } catch {
                onDiagnostic(Diagnostic(.warning, "the state of the worker is not there: \(error)"))
            }
            return GenerationRecord(
                epoch: epoch, number: number, after: after, time: time, plan: plan, change: change)
        }
    }
}
