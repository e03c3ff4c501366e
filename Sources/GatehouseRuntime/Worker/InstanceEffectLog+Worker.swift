// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal

// The effects of an instance in a worker; called in the drain.
//
// One entry stands for all that comes of an action until the worker has answered it. From then on each effect that it has begun has an entry
// of its own, as one that runs in the host, so that it ends, begins again or is told by itself, wherever its instance goes.
extension InstanceEffectLog {
    /// Gives slots to what a worker is to be shown once more.
    ///
    /// - Parameter effects: the one that stands for all of an action, or those that are to begin; not empty.
    /// - Returns: what stands for the action until it is answered.
    package func beginAgain(_ effects: [JournalEffect]) -> UInt64 {
        let first = take(effects[0], after: effects[0].sequence)
        guard !effects[0].standsForAll else { return first }
        var places = [effects[0].ordinal: first]
        for effect in effects.dropFirst() {
            if places[effect.ordinal] == nil {
                places[effect.ordinal] = take(effect, after: effect.sequence)
            } else {
                // No honest worker has two at one place.
                recorder?.end(effect: effect.number)
            }
        }
        shown[first] = places
        return first
    }

    /// Lets the recorder know what those actions follow from after which a checkpoint emits something, however long ago they were recorded and
    /// by whichever host: so what is emitted has the same place each time.
    func recall(_ checkpoint: TakenCheckpoint) {
        let parents = Set(checkpoint.outputs.lazy.filter { !$0.isLate }.map(\.sequence))
        guard let recorder, !parents.isEmpty else { return }
        for case let number? in checkpoint.finished + checkpoint.answered {
            guard let entry = self[number], parents.contains(entry.sequence) else { continue }
            recorder.recall(entry)
        }
    }

    /// Takes note of what a checkpoint says of actions and their effects, with the outputs that were put into the queue before: a journal has
    /// both, or neither.
    package func settle(_ checkpoint: TakenCheckpoint) {
        var answered: [UInt64: UInt64] = [:]
        for number in checkpoint.answered { answered[self[number]?.sequence ?? 0] = number }
        for effect in checkpoint.begun {
            guard let number = begin(effect, answering: answered[effect.sequence]) else { continue }
            guard let before = self[number] else { continue }
            var entry = before
            if entry.standsForAll { entry.ordinal = effect.ordinal }
            entry.recovery = effect.recovery
            // What goes back to a life before this one has begun more often than its worker knows.
            entry.attempt = max(entry.attempt, effect.attempt)
            if before.standsForAll || entry.recovery != before.recovery || entry.attempt != before.attempt {
                self[number] = entry
            }
            guard told.updateValue(number, forKey: effect.number) == nil else { continue }
            actions[effect.sequence] = (entry, (actions[effect.sequence]?.count ?? 0) + 1)
        }
        // What was to begin once more and is not told has ended already, or a dead letter stands for it.
        for number in checkpoint.answered {
            if let places = shown.removeValue(forKey: number) {
                places.values.sorted().forEach(finish)
            } else if isCancelled(number) {
                finish(number)
            }
        }
        finish(checkpoint.finished, checkpoint.ended)
    }

    /// Finds what an effect is known by, or lets it begin beside others of its action; nil for one of an action that nothing stands for, or
    /// whose effects have been ended.
    ///
    /// - Parameter action: what stands for the action, where the checkpoint answers it.
    private func begin(_ effect: TakenCheckpoint.BegunEffect, answering action: UInt64?) -> UInt64? {
        if let known = told[effect.number] { return known }
        if let action {
            if isCancelled(action) { return nil }
            if let place = shown[action]?.removeValue(forKey: effect.ordinal) { return place }
            if self[action]?.standsForAll == true { return action }
        }
        guard var entry = actions[effect.sequence]?.effect ?? action.flatMap({ self[$0] }) else { return nil }
        (entry.ordinal, entry.recovery, entry.attempt) = (effect.ordinal, effect.recovery, effect.attempt)
        entry =
            recorder?.begin(beside: entry) ?? entry.numbered(effect.sequence << 16 | UInt64(effect.ordinal))
        return take(entry, after: effect.sequence)
    }

    /// What stands in the journal for an effect that the worker has told, by its number there; nil for one that is not known here.
    package func entry(of number: UInt64) -> JournalEffect? { told[number].flatMap { self[$0] } }

    /// Ends what stands for actions, and effects that the worker has told, with the outputs that were put into the queue before.
    package func finish(_ actions: [UInt64?], _ effects: [UInt64] = []) {
        for case let number? in effects.map({ told.removeValue(forKey: $0) }) {
            forget(effectOf: self[number]?.sequence ?? 0)
            finish(number)
        }
        for case let number? in actions {
            if let places = shown.removeValue(forKey: number) {
                places.values.sorted().forEach(finish)
            } else {
                finish(number)
            }
        }
    }

    /// Takes note that one effect of an action has ended.
    private func forget(effectOf sequence: UInt64) {
        guard var action = actions[sequence] else { return }
        action.count -= 1
        actions[sequence] = action.count > 0 ? action : nil
    }

    /// Ends an effect.
    private func finish(_ number: UInt64) {
        end(number, isCancelled: false)
        if let ended = settled(number, isLeft: false) { recorder?.end(effectWithOutputs: ended) }
    }
}

extension JournalEffect {
    /// The place among the effects of an action of what stands for all of them, because a worker has the action and has not answered it.
    package static let all = UInt32.max

    /// Whether it stands for all effects of an action.
    package var standsForAll: Bool { ordinal == Self.all }
}
