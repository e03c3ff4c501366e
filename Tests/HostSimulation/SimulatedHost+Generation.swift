// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime

// The snapshots and generations of a simulated host.
extension SimulatedHost {
    /// Takes a snapshot of the state.
    func snapshot() {
        recorder.handOver()
        let state = tape.with { $0.state }
        guard let clerk = copyClerk() else { return }
        writer.write(
            JournalSnapshot(sequence: recorder.sequence, generation: generation) { [quarantine] in
                state.saved(quarantine: quarantine, clerk: try clerk())
            })
        coverage.count("snapshots")
    }

    /// Lets the next generation take over.
    ///
    /// - Parameters:
    ///   - replaces: whether it has another worker for the clerk.
    ///   - waits: whether it waits until the one before has answered all that it was given, which a worker that hangs does not do.
    func reload(
        migrates: Bool, replacing replaces: Bool, waiting waits: Bool, under supervisor: SimulatedSupervisor
    ) {
        if replaces {
            while link?.hasJobs == true { performJob() }
            // A snapshot that waits for a worker that hangs would come to nothing, and be reported.
            if waits || link?.isCopying == true { settleClerk() }
        }
        generation += 1
        recorder.generation = generation
        // What the instance has running goes to the one that takes over, or waits for one.
        inherited += effects
        effects = []
        swap(migrates: migrates, isFirst: false, under: supervisor)
        if replaces { replaceClerk() }
        beginInherited()
        coverage.count(migrates ? "reloads with a migration" : "reloads")
    }

    /// Records a generation.
    func swap(migrates: Bool, isFirst: Bool, under supervisor: SimulatedSupervisor) {
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
        let plan = SimulatedState.plan(state.form, quarantine: quarantine)
        var change = SimulatedState.change
        if migrates || isFirst { change.made[SimulatedState.instance] = state.versioned }
        if isFirst { change.made[ClerkState.instance] = ClerkState().versioned }
        let made = change
        writer.begin { epoch, time, _ in
            GenerationRecord(
                epoch: epoch, number: number, after: after, time: time, plan: plan, change: made)
        }
    }
}
