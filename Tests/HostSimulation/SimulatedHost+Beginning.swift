// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK

// How a life begins that goes on with what another one has left.
extension SimulatedHost {
    /// Takes over the effects that the life before has left, and skips inputs that have ended the host too often; what is skipped must be
    /// written before anything is dispatched.
    ///
    /// - Parameters:
    ///   - moment: what was found.
    ///   - supervisor: knows what the library may do.
    ///   - placements: whether clerk and scribe run in workers.
    func begin(
        _ recovery: Recovery, from moment: ExpectedPast.Moment, under supervisor: SimulatedSupervisor,
        inWorkers placements: [Bool]
    ) {
        tape.with { content in
            (content.state, content.told, content.opened, content.roots) = (moment.state, [], [:], [])
            (content.acknowledged, content.failures) = ([], [])
        }
        for (clerk, isInWorker) in zip(clerks, placements) {
            clerk.begin(
                with: recovery.place.state.entries[clerk.id.rawValue]?.state, inWorker: isInWorker)
            clerk.begin(behindOpenGate: !moment.state.closed.contains(clerk.id))
        }
        swap(migrates: false, isFirst: moment.generations == 0, under: supervisor)
        if recovery.replayed > 0 { snapshot() }
        for clerk in clerks { clerk.start() }
        let skipped = supervisor.setAside
        for effect in recovery.effects {
            guard
                case .inherited(let effect) = EffectFate(
                    of: effect, for: effect.instance, skipping: skipped)
            else {
                let letter = bury(.setAside)
                clerk(effect.instance)?.book.leaveOut(effect.sequence, letter: letter)
                recorder.end(effect: effect.number)
                continue
            }
            recorder.resume(effect)
            inherited.append(effect)
        }
        beginInherited()
        for input in recovery.inputs where skipped[input.number] != nil {
            bury(.setAside)
            recorder.finish(ActionCause(.input, input.number), isIdle: true)
            if let action = moment.open[input.number] { tape.with { _ = $0.skipped.insert(action) } }
        }
        recorder.handOver()
    }

    /// Dispatches the inputs that the life before has not finished.
    func resume(_ recovery: Recovery, from moment: ExpectedPast.Moment, under supervisor: SimulatedSupervisor)
    {
        for input in recovery.inputs where supervisor.setAside[input.number] == nil && culprit == nil {
            guard let action = moment.open[input.number] else { continue }
            dispatch(SimulatedAction(action), number: input.number)
        }
    }

    /// The clerk or the scribe, by the id of an instance.
    private func clerk(_ instance: String) -> SimulatedClerk? { clerks.first { $0.id.rawValue == instance } }

    /// Begins effects again that were left, or says that they were interrupted, unless the library is in quarantine; the actions of those of
    /// clerk and scribe those are shown.
    func beginInherited() {
        show(
            clerks.map { clerk in
                (clerk: clerk, effects: inherited.filter { $0.instance == clerk.id.rawValue })
            })
        inherited.removeAll { clerk($0.instance) != nil }
        guard !isStanding else { return }
        for effect in inherited {
            guard effect.recovery == .tell else {
                coverage.count("effects begun again")
                effects.append(effect)
                continue
            }
            coverage.count("effects told as interrupted")
            emit(6, by: effect)
            recorder.end(effect: effect.number)
        }
        inherited = []
    }
}
