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
        guard let clerk = copyClerk() else { return }
        let (form, isInWorker) = (clerkForm, link != nil)
        writer.write(
            JournalSnapshot(sequence: recorder.sequence, generation: generation) { [quarantine] in
                state.saved(
                    quarantine: quarantine, clerk: VersionedState(version: form, value: try clerk()),
                    inWorker: isInWorker)
            })
        coverage.count("snapshots")
    }

    /// Lets the next generation take over.
    ///
    /// - Parameters:
    ///   - clerk: how another instance takes over from the clerk; nil where that stays.
    ///   - waits: whether it waits until the one before has answered all that it was given, which a worker that hangs does not do.
    func reload(
        migrates: Bool, clerk next: NextClerk?, waiting waits: Bool, under supervisor: SimulatedSupervisor
    ) {
        if next != nil {
            while link?.hasJobs == true { performJob() }
            // A snapshot that waits for a worker that hangs would come to nothing, and be reported.
            if waits || link?.isCopying == true { settleClerk() }
        }
        generation += 1
        recorder.generation = generation
        // What the instance has running goes to the one that takes over, or waits for one.
        inherited += effects
        effects = []
        let left = next.flatMap { replaceClerk(by: $0) }
        swap(
            migrates: migrates, clerk: next?.migrates == true ? copyMigratedClerk() : nil, under: supervisor)
        if let left {
            startClerk()
            showClerk(left)
        }
        beginInherited()
        coverage.count(migrates ? "reloads with a migration" : "reloads")
    }

    /// Records a generation.
    ///
    /// - Parameter clerk: a copy of the clerk's state, where that was migrated; the thread that writes waits for it.
    func swap(
        migrates: Bool, clerk: SliceCopy? = nil, isFirst: Bool = false, under supervisor: SimulatedSupervisor
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
        let form = clerkForm
        let plan = SimulatedState.plan(
            state.form, clerk: form, inWorker: link != nil, quarantine: quarantine)
        var change = SimulatedState.change
        if migrates || isFirst { change.made[SimulatedState.instance] = state.versioned }
        if isFirst { change.made[ClerkState.instance] = ClerkState().versioned }
        let made = change
        if clerk != nil { isRecordWaiting = true }
        writer.begin { epoch, time, onDiagnostic in
            var change = made
            do throws(CodingFailure) {
                if let clerk {
                    change.made[ClerkState.instance] = VersionedState(version: form, value: try clerk())
                }
            } catch {
                onDiagnostic(Diagnostic(.warning, "the state of the worker is not there: \(error)"))
            }
            return GenerationRecord(
                epoch: epoch, number: number, after: after, time: time, plan: plan, change: change)
        }
    }
}
