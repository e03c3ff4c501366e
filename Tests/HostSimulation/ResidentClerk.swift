// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseJournal
import GatehousePlan
import GatehouseRuntime
import GatehouseRuntimeTesting
import GatehouseSDK

/// The clerk or the scribe where it runs in the simulated host itself: it does everything on the spot but its effects, which end when somebody says so.
/// What is recorded of them is the real log.
final class ResidentClerk {
    /// An effect that runs.
    struct Running {
        /// What the log knows it by.
        fileprivate let number: UInt64
        /// The action that began it, its number, and the place among its effects.
        let action: ClerkAction, sequence: UInt64, ordinal: UInt32
    }

    /// The actions that were heard.
    private(set) var state: ClerkState
    /// The effects that run, in the order of their beginning.
    private(set) var running: [Running] = []
    /// What stands in the journal for them.
    private let log: InstanceEffectLog
    /// Has the action in hand.
    private let pass = Pass(timesAll: false)
    /// Knows its number.
    private let drain: SimulatedDrain
    /// Numbers and names effects.
    private let recorder: ActionRecorder
    /// What is planted; nil for nothing.
    private let defect: HostSimulation.Defect?

    /// Begins with a state that another instance or another host has left.
    ///
    /// - Parameters:
    ///   - state: nil for a new instance.
    ///   - form: that of its code.
    init(
        _ id: ClerkID, _ recorder: ActionRecorder, _ drain: SimulatedDrain, state: ClerkState?, form: Int,
        _ defect: HostSimulation.Defect?
    ) {
        (self.recorder, self.drain, self.defect) = (recorder, drain, defect)
        self.state = state ?? ClerkState()
        self.state.migrate(to: form)
        log = InstanceEffectLog(
            of: id.rawValue, 1, isOfWorker: false, recovery: .again, in: pass, recorder, drain)
    }

    /// Reduces an action that the worker before was given and has not answered.
    func reduce(_ action: ClerkAction) { state.reduce(action) }

    /// Hears the action in hand.
    ///
    /// - Returns: the effects that it begins.
    func hear(_ action: ClerkAction, as sequence: UInt64, from source: ActionSource) -> [JournalEffect] {
        state.reduce(action)
        during(action, sequence, source) { begin(action, after: sequence) }
        return underWay(of: sequence)
    }

    /// Is shown an action once more, as `Instance` shows it to its plugin.
    ///
    /// - Parameter effects: what has not ended of it; not empty.
    /// - Returns: the effects that it begins, and what it emits on the spot; nil for nothing.
    func show(_ action: ClerkAction, beginning effects: [JournalEffect]) -> (
        begun: [JournalEffect], answer: Int?
    ) {
        let (first, sequence) = (effects[0], effects[0].sequence)
        let isWhole = first.standsForAll && defect != .forgottenEffects
        during(action, sequence, first.source) {
            if isWhole {
                if defect == .hastyMoves { recorder.end(effect: first.number) }
                log.beginAll(insteadOf: first) { begin(action, after: sequence) }
            } else {
                _ = log.show(effects) { begin(action, after: sequence) }
            }
        }
        return (underWay(of: sequence), isWhole ? action.answer : nil)
    }

    /// Takes note that an effect has ended, once what it has emitted is recorded.
    func end(at index: Int) {
        let number = running.remove(at: index).number
        log.end(number, isCancelled: false)
        log.settle(number, isLeft: false)
    }

    /// Ends all effects, because the gate has closed; called in the drain.
    ///
    /// - Returns: the actions that had some.
    func endEffects() -> [UInt64] {
        let ended = log.underWay.map(\.sequence)
        cancel()
        if defect != .lingeringEffects { log.endAll() }
        return ended
    }

    /// Stops all effects, which have not ended by that; called in the drain.
    func stopEffects() { log.leaving(cancel) }

    /// Cancels all effects, which leave the log when the drain is at rest, as real ones do.
    private func cancel() {
        for effect in running {
            log.end(effect.number, isCancelled: defect != .lingeringEffects)
            drain.enqueueAtRest { [log] in log.settle(effect.number, isLeft: false) }
        }
        running = []
    }

    /// Hands over what has not ended, for the instance that takes over.
    func takeUnfinished() -> [JournalEffect] {
        running = []
        return log.takeUnfinished()
    }

    // MARK: - Effects

    /// Does something while the action is in hand.
    private func during(
        _ action: ClerkAction, _ sequence: UInt64, _ source: ActionSource, _ body: () -> Void
    ) {
        let action = SimulatedAction.action(action.told)
        withExtendedLifetime(action) {
            drain.mark = sequence
            pass.begin(from: source)
            pass.take(action)
            body()
            pass.end()
            drain.mark = 0
        }
    }

    /// Begins the effects of an action, but for those that have ended where it is shown once more.
    private func begin(_ action: ClerkAction, after sequence: UInt64) {
        for ordinal in 0..<UInt32(action.effects) {
            guard let number = log.begin(.foreground, action.recovery(of: ordinal), within: nil) else {
                continue
            }
            running.append(
                Running(number: number, action: action, sequence: sequence, ordinal: ordinal))
        }
    }

    /// The effects of an action that run.
    private func underWay(of sequence: UInt64) -> [JournalEffect] {
        log.underWay.filter { $0.sequence == sequence }
    }
}
