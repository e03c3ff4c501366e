// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehouseJournal
package import GatehouseLibrary
package import GatehouseSDK
private import Synchronization

/// Records the effects of one instance: in the flight recorder all of them, and those that an action has started, unless nothing becomes of
/// them, with what it takes to begin them again; in the journal too where there is one.
///
/// The number of an effect is that of its slot, from 1, above 16 bits of its place in the flight recorder; each is 0 for none.
///
/// `@unchecked Sendable`: slots are touched in the drain only, and so is everything else that varies.
package final class InstanceEffectLog: EffectLog, @unchecked Sendable {
    /// An effect that an action has started.
    private struct Slot {
        /// What stands for it in the journal.
        var effect: JournalEffect
        /// Those that run of the effect itself and its parts.
        var parts = 1
        /// What is known of its end.
        var fate = Fate.open
    }

    /// What is known of the end of an effect that is not settled.
    private enum Fate {
        /// It runs, or has finished.
        case open
        /// It was cancelled by a token, by its plugin or by a gate, and has ended.
        case cancelled
        /// Its host has cancelled it, and it has not ended.
        case left
    }

    /// The id of the instance.
    private let instance: String
    /// What the flight recorder knows it by.
    private let number: UInt64
    /// What becomes of effects that hold a run open and say nothing about it.
    private let recovery: EffectRecovery
    /// Has the action in hand and the flight recorder, and keeps them.
    private let pass: Pass
    /// Who records for a journal; nil without one.
    private let recorder: ActionRecorder?
    /// Knows the number of the action in hand.
    private let drain: Drain
    /// Whether one effect stands for all of its action, because a worker has them.
    private let isOfWorker: Bool

    /// Effects that have not been settled; nil in slots that are free.
    private var slots: [Slot?] = []
    /// The numbers of free slots.
    private var free: [Int] = []
    /// The action whose effects began last, and how many there were.
    private var last: (sequence: UInt64, count: UInt32) = (0, 0)
    /// Effects that are being shown to the instance once more, by their ordinals, without those that have begun; nil while none is.
    private var showing: [UInt32: JournalEffect]?
    /// Whether the host cancels effects of an instance that it takes out of service: they have not ended.
    private var isLeaving = false
    /// Whether who comes next begins what has not ended.
    private let isSucceeded: Atomic<Bool>

    /// A log of effects that start in a drain.
    ///
    /// - Parameter isOfWorker: whether one effect stands for all of its action, because a worker has them.
    package init(
        of instance: String, _ number: Int, isOfWorker: Bool, recovery: EffectRecovery, in pass: Pass,
        _ recorder: ActionRecorder?, _ drain: Drain
    ) {
        self.isOfWorker = isOfWorker
        self.instance = instance
        self.number = UInt64(number)
        self.recovery = recovery
        self.pass = pass
        self.recorder = recorder
        self.drain = drain
        isSucceeded = Atomic(recorder != nil)
    }

    package func begin(_ kind: Activity.Kind, _ own: EffectRecovery?, within whole: UInt64?) -> UInt64? {
        let mark = drain.mark
        let sequence = mark & ~Drain.effectMark
        if let whole, let slot = slot(of: whole) {
            slots[slot]?.parts += 1
            return whole & ~Self.places | pass.progress.beginEffect(of: number, after: sequence)
        }
        let recovery = own ?? (kind == .background ? .tell : self.recovery)
        guard recovery != .forget, mark & Drain.effectMark == 0, let action = pass.action else {
            return pass.progress.beginEffect(of: number, after: sequence)
        }
        if last.sequence != sequence { last = (sequence, 0) }
        let ordinal = last.count
        last.count += 1
        if showing != nil { return beginAgain(ordinal, after: sequence) }
        let make = { [instance, pass, isOfWorker] (number: UInt64, key: String, input: UInt64) in
            var effect = JournalEffect(
                number: number, instance: instance, sequence: sequence, recovery: recovery, input: input,
                key: key, action: action, source: pass.source)
            effect.ordinal = ordinal
            if isOfWorker { effect.isAnswered = false }
            return effect
        }
        let effect =
            recorder?.begin(effectOf: instance, after: sequence, make)
            ?? make(sequence << 16 | UInt64(ordinal), "", 0)
        return take(effect, after: sequence)
    }

    /// Begins an effect of the action that is shown, if it has not ended; nil where it has.
    private func beginAgain(_ ordinal: UInt32, after sequence: UInt64) -> UInt64? {
        showing?.removeValue(forKey: ordinal).map { take($0, after: sequence) }
    }

    /// Gives an effect a slot, and a place in the flight recorder.
    private func take(_ effect: JournalEffect, after sequence: UInt64) -> UInt64 {
        let place = pass.progress.beginEffect(of: number, after: sequence)
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        slots[slot] = Slot(effect: effect)
        return UInt64(slot + 1) << Self.placeBits | place
    }

    package func beginWork(_ number: UInt64) { pass.progress.beginWork(ofEffectAt: number & Self.places) }

    package func end(_ number: UInt64, isCancelled: Bool) {
        pass.progress.endEffect(at: number & Self.places)
        // One that is cancelled beside the drain is known to be when it is settled.
        guard isCancelled, drain.isCurrent, let slot = slot(of: number) else { return }
        if isLeaving {
            slots[slot]?.fate = .left
        } else if slots[slot]?.parts == 1, slots[slot]?.fate == .open {
            slots[slot]?.fate = .cancelled
        }
    }

    package func continueInBackground(_ number: UInt64) {
        guard let slot = slot(of: number), var effect = slots[slot]?.effect, effect.recovery == .again else {
            return
        }
        effect.recovery = .tell
        slots[slot]?.effect = effect
        recorder?.resume(effect)
    }

    package func isKept(_ number: UInt64) -> Bool {
        number >> Self.placeBits != 0 && isSucceeded.load(ordering: .relaxed)
    }

    package func settle(_ number: UInt64, isLeft: Bool) {
        if let ended = settled(number, isLeft: isLeft) { recorder?.end(effect: ended) }
    }

    /// Settles a part of an effect; gives what the recorder knows the effect by, where that was the last part.
    private func settled(_ number: UInt64, isLeft: Bool) -> UInt64? {
        guard let slot = slot(of: number) else { return nil }
        slots[slot]?.parts -= 1
        if isLeft { slots[slot]?.fate = .left }
        guard let ended = slots[slot], ended.parts == 0, ended.fate != .left else { return nil }
        slots[slot] = nil
        free.append(slot)
        return ended.effect.number
    }

    /// The slot of an effect; nil for one that has none, or none any more.
    private func slot(of number: UInt64) -> Int? {
        let slot = Int(number >> Self.placeBits) - 1
        return slots.indices.contains(slot) && slots[slot] != nil ? slot : nil
    }

    /// So many bits has the place of an effect in the flight recorder.
    private static let placeBits: UInt64 = 16
    /// All of them.
    private static let places: UInt64 = (1 << placeBits) - 1
}

// MARK: - From one life to the next

extension InstanceEffectLog {
    /// Lets the host cancel effects that have not ended by that; called in the drain.
    func leaving(_ body: () -> Void) {
        isLeaving = true
        body()
        isLeaving = false
    }

    /// Takes note of whether another instance takes over; called in the drain.
    func expectSuccessor(_ comes: Bool) { isSucceeded.store(comes, ordering: .relaxed) }

    /// How many effects begin again if they do not end; called in the drain.
    var recoverable: Int {
        slots.count { $0.map { $0.fate != .cancelled && $0.effect.recovery == .again } ?? false }
    }

    /// What has not ended and was not cancelled, in no order; called in the drain.
    var underWay: [JournalEffect] { slots.compactMap { $0?.fate == .open ? $0?.effect : nil } }

    /// Hands over what has not ended, in order of beginning, for who comes after the instance; called in the drain, when its effects
    /// are cancelled. Nothing of it is known here any more.
    package func takeUnfinished() -> [JournalEffect] {
        let effects = slots.compactMap { $0?.fate == .cancelled ? nil : $0?.effect }
        // What was cancelled is recorded as ended when its turn comes.
        for index in slots.indices where slots[index]?.fate != .cancelled { slots[index] = nil }
        return effects.sorted { $0.number < $1.number }
    }

    /// Begins those effects again that a body begins by showing their action to the instance; called in the drain.
    ///
    /// - Returns: those that did not begin.
    func show(_ effects: [JournalEffect], _ body: () -> Void) -> [JournalEffect] {
        last = (0, 0)
        showing = Dictionary(effects.map { ($0.ordinal, $0) }) { first, _ in first }
        body()
        defer { (showing, last) = (nil, (0, 0)) }
        return showing?.values.sorted { $0.number < $1.number } ?? []
    }

    /// Begins all effects of an action anew by a body, where some stand for all of it that a worker had: those have ended then.
    func beginAll(for effects: [JournalEffect], _ body: () -> Void) {
        guard let first = effects.first else { return }
        last = (0, 0)
        recorder?.shown = (first.sequence, EffectKeys.Name(key: first.key, attempt: first.attempt))
        body()
        last = (0, 0)
        for effect in effects { recorder?.end(effect: effect.number) }
    }
}

// For what a worker does.
extension InstanceEffectLog {
    /// Begins again what stands for an action in a worker.
    package func beginAgain(_ effect: JournalEffect) -> UInt64 { take(effect, after: effect.sequence) }

    /// Ends what stands for actions, with the answers that were put into the queue before.
    package func finish(_ numbers: [UInt64?]) {
        for case let number? in numbers {
            end(number, isCancelled: false)
            if let ended = settled(number, isLeft: false) { recorder?.end(effectWithOutputs: ended) }
        }
    }

    /// Takes note that an action, with the answers that were put into the queue before, is answered and stays open for its effects.
    func markAnswered(_ number: UInt64) {
        guard let slot = slot(of: number), var effect = slots[slot]?.effect, !effect.isAnswered else {
            return
        }
        effect.isAnswered = true
        slots[slot]?.effect = effect
        recorder?.resume(withOutputs: effect)
    }
}

extension JournalEffect {
    /// The places among the effects of an action of what stands for all of them in a worker, before and after that has answered the action.
    private static let (given, answered) = (UInt32.max - 1, UInt32.max)

    /// Whether it stands for all effects of an action in a worker.
    package var standsForAll: Bool { ordinal >= Self.given }

    /// Whether an action in a worker is answered, for which this stands: what it led to on the spot is known.
    package internal(set) var isAnswered: Bool {
        get { ordinal == Self.answered }
        set { ordinal = newValue ? Self.answered : Self.given }
    }
}

extension InstanceEffectLog: ForeignTurns {
    package func during(_ turn: ForeignTurn, _ body: () -> Void) {
        gatehouse_watch_thread()
        pass.progress.take()
        switch turn {
        case .cancelled: pass.progress.during(.cancel, of: number << 8, body)
        case .perform(let effect):
            pass.progress.show(effectAt: (effect ?? 0) & Self.places)
            pass.progress.during(.perform, of: number << 8, body)
        }
    }
}
