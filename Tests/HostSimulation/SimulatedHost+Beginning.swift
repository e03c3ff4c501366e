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
    ///   - isInWorker: whether the clerk runs in a worker.
    func begin(
        _ recovery: Recovery, from moment: ExpectedPast.Moment, under supervisor: SimulatedSupervisor,
        clerkInWorker isInWorker: Bool
    ) {
        tape.with { content in
            (content.state, content.told, content.opened, content.roots) = (moment.state, [], [:], [])
            (content.acknowledged, content.failures) = ([], [])
        }
        beginClerk(with: recovery.place.state.entries[ClerkState.instance]?.state, inWorker: isInWorker)
        swap(migrates: false, isFirst: moment.generations == 0, under: supervisor)
        if recovery.replayed > 0 { snapshot() }
        startClerk()
        let skipped = supervisor.setAside
        for effect in recovery.effects {
            guard
                case .inherited(let effect) = EffectFate(
                    of: effect, for: effect.instance, skipping: skipped)
            else {
                let letter = bury(.setAside)
                if effect.instance == ClerkState.instance {
                    book.leaveOut(effect.sequence, letter: letter)
                }
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

    /// Begins effects again that were left, or says that they were interrupted, unless the library is in quarantine; the actions of those of
    /// the clerk it is shown.
    func beginInherited() {
        showClerk(inherited.filter { $0.instance == ClerkState.instance })
        inherited.removeAll { $0.instance == ClerkState.instance }
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
