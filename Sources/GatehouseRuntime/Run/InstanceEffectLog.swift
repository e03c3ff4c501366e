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
        /// How many of these were cancelled in the drain and are not settled, at least.
        var cancelled = 0
        /// What is known of its end.
        var fate = Fate.open
    }

    /// What is known of the end of an effect that is not settled.
    private enum Fate {
        /// It runs, or has finished.
        case open
        /// It was cancelled by a token, by its plugin or by a gate: it has ended, and a journal has that with the action that did it.
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
    let recorder: ActionRecorder?
    /// Knows the number of the action in hand.
    private let drain: Drain
    /// Whether one effect stands for all of its action until that is answered, because a worker has it.
    private let isOfWorker: Bool
    /// What the effects of a worker are known by here, by the numbers that it gave.
    var told: [UInt64: UInt64] = [:]
    /// One of the effects that a worker has told of each action, and how many have not ended, by the number of the action.
    var actions: [UInt64: (effect: JournalEffect, count: Int)] = [:]
    /// What is to begin of actions that a worker was shown and has not answered, by place, by what stands for the action.
    var shown: [UInt64: [UInt32: UInt64]] = [:]

    /// Effects that have not been settled; nil in slots that are free.
    private var slots: [Slot?] = []
    /// The numbers of free slots.
    private var free: [Int] = []
    /// The action whose effects began last, and how many there were.
    private var last: (sequence: UInt64, count: UInt32) = (0, 0)
    /// Effects that are being shown to the instance once more, by their ordinals, without those that have begun; nil while none is.
    private var showing: [UInt32: JournalEffect]?
    /// The attempt that effects begin with where no recorder knows better.
    private var attempt: UInt32 = 1
    /// Whether the host cancels effects of an instance that it takes out of service: they have not ended.
    private(set) var isLeaving = false
    /// Whether who comes next begins what has not ended.
    private let isSucceeded: Atomic<Bool>

    /// A log of effects that start in a drain.
    ///
    /// - Parameter isOfWorker: whether one effect stands for all of its action until that is answered, because a worker has it.
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
        let make = { [instance, pass, isOfWorker, attempt] (number: UInt64, key: String, input: UInt64) in
            var effect = JournalEffect(
                number: number, instance: instance, sequence: sequence, recovery: recovery, input: input,
                key: key, action: action, source: pass.source)
            effect.ordinal = ordinal
            if isOfWorker { effect.ordinal = JournalEffect.all }
            effect.attempt = attempt
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
    func take(_ effect: JournalEffect, after sequence: UInt64) -> UInt64 {
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
        guard isCancelled, drain.isCurrent, let index = slot(of: number), var slot = slots[index],
            slot.fate == .open
        else { return }
        if isLeaving {
            slot.fate = .left
        } else {
            slot.cancelled += 1
            // A part that finishes has outputs that may not be in the queue yet.
            if slot.cancelled == slot.parts {
                slot.fate = .cancelled
                endAtRest(slot.effect.number)
            }
        }
        slots[index] = slot
    }

    package func continueInBackground(_ number: UInt64) {
        guard let slot = slot(of: number), !isCancelled(number), var effect = slots[slot]?.effect,
            effect.recovery == .again
        else { return }
        effect.recovery = .tell
        slots[slot]?.effect = effect
        recorder?.resume(effect)
    }

    package func isKept(_ number: UInt64) -> Bool {
        number >> Self.placeBits != 0 && hasSuccessor
    }

    package func settle(_ number: UInt64, isLeft: Bool) {
        guard let ended = settled(number, isLeft: isLeft), let recorder else { return }
        guard recorder.isBehind else { return recorder.end(effect: ended) }
        endAtRest(ended)
    }

    /// Ends an effect in the journal with what was put into the queue before: a batch has both, or neither.
    private func endAtRest(_ effect: UInt64) {
        guard let recorder else { return }
        recorder.end(effectWithOutputs: effect)
        // No pass may follow, or other work stood in the queue after that, or still does.
        drain.enqueueAtRest { [recorder] in recorder.rest() }
    }

    /// Settles a part of an effect; gives what the recorder knows the effect by, where that was the last part and nobody has told the recorder
    /// yet that it has ended.
    func settled(_ number: UInt64, isLeft: Bool) -> UInt64? {
        guard let slot = slot(of: number) else { return nil }
        slots[slot]?.parts -= 1
        if let count = slots[slot]?.cancelled, count > 0 { slots[slot]?.cancelled = count - 1 }
        if isLeft, slots[slot]?.fate == .open { slots[slot]?.fate = .left }
        guard let ended = slots[slot], ended.parts == 0, ended.fate != .left else { return nil }
        slots[slot] = nil
        free.append(slot)
        return ended.fate == .cancelled ? nil : ended.effect.number
    }

    /// What stands in the journal for an effect; nil for one that has no slot, or none any more. Setting it tells the recorder once what was
    /// put into the queue before is recorded.
    subscript(number: UInt64) -> JournalEffect? {
        get { slot(of: number).flatMap { slots[$0]?.effect } }
        set {
            guard let slot = slot(of: number), let newValue else { return }
            slots[slot]?.effect = newValue
            if slots[slot]?.fate == .open { recorder?.resume(withOutputs: newValue) }
        }
    }

    /// Ends all that is under way, because the gate has closed: a crash from here on begins nothing of it again, although parts of it may
    /// still run, or a worker has not come to that.
    ///
    /// The slots stay until those have ended, or the worker has answered, which knows them by their numbers.
    package func endAll() {
        actions = [:]
        for index in slots.indices {
            guard let slot = slots[index], slot.fate != .cancelled else { continue }
            endAtRest(slot.effect.number)
            slots[index]?.fate = .cancelled
            guard slot.parts == 0 else { continue }
            slots[index] = nil
            free.append(index)
        }
    }

    /// Whether an effect was cancelled, and has its slot.
    func isCancelled(_ number: UInt64) -> Bool {
        slot(of: number).map { slots[$0]?.fate == .cancelled } ?? false
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
    package func leaving(_ body: () -> Void) {
        isLeaving = true
        body()
        isLeaving = false
    }

    /// Whether who comes next begins what has not ended.
    var hasSuccessor: Bool { isSucceeded.load(ordering: .relaxed) }

    /// Takes note of whether another instance takes over; called in the drain.
    func expectSuccessor(_ comes: Bool) { isSucceeded.store(comes, ordering: .relaxed) }

    /// How many effects begin again if they do not end; called in the drain.
    var recoverable: Int {
        slots.count { $0.map { $0.fate != .cancelled && $0.effect.recovery == .again } ?? false }
    }

    /// What has not ended and was not cancelled, in no order; called in the drain.
    package var underWay: [JournalEffect] { slots.compactMap { $0?.fate == .open ? $0?.effect : nil } }

    /// Hands over what has not ended, in order of beginning, for who comes after the instance; called in the drain, when its effects
    /// are cancelled. Nothing of it is known here any more.
    package func takeUnfinished() -> [JournalEffect] {
        let effects = slots.compactMap { $0?.fate == .cancelled ? nil : $0?.effect }
        // What was cancelled has ended, and leaves its slot when its turn comes.
        for index in slots.indices where slots[index]?.fate != .cancelled { slots[index] = nil }
        (told, actions, shown) = ([:], [:], [:])
        return effects.sorted { $0.number < $1.number }
    }

    /// Begins those effects again that a body begins by showing their action to the instance; called in the drain.
    ///
    /// - Returns: those that did not begin.
    package func show(_ effects: [JournalEffect], _ body: () -> Void) -> [JournalEffect] {
        last = (0, 0)
        showing = Dictionary(effects.map { ($0.ordinal, $0) }) { [recorder] first, other in
            // No honest worker has two at one place.
            recorder?.end(effect: other.number)
            return first
        }
        body()
        defer { (showing, last) = (nil, (0, 0)) }
        return showing?.values.sorted { $0.number < $1.number } ?? []
    }

    /// Begins effects at some places of an action that this store has not heard, and no others, by a body that shows it to the instance;
    /// called in the drain.
    ///
    /// - Returns: how many the body has not begun, of which nothing becomes.
    func begin(
        at places: [UInt32], of action: AnyAction, from source: ActionSource, after sequence: UInt64,
        _ body: () -> Void
    ) -> Int {
        let effects = places.compactMap { place in
            recorder?.begin(effectOf: instance, after: sequence) { [instance] number, key, input in
                var effect = JournalEffect(
                    number: number, instance: instance, sequence: sequence, recovery: .again,
                    input: input, key: key, action: action, source: source)
                effect.ordinal = place
                return effect
            }
        }
        let unbegun = show(effects, body)
        for effect in unbegun { recorder?.end(effect: effect.number) }
        return unbegun.count
    }

    /// Begins all effects of an action anew by a body, where one stands for all of it that a worker had.
    ///
    /// A journal has them in its place when it has what the action emits on the spot: a crash before begins all of it once more.
    package func beginAll(insteadOf effect: JournalEffect, _ body: () -> Void) {
        (last, attempt) = ((0, 0), effect.attempt)
        recorder?.show(insteadOf: effect)
        body()
        (last, attempt) = ((0, 0), 1)
        recorder?.end(effectWithOutputs: effect.number)
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
