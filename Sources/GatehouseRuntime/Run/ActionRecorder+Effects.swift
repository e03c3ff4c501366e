// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import Synchronization

// The effects that a journal knows of; called in the drain.
extension ActionRecorder {
    /// Takes note of an effect that an action has started.
    ///
    /// - Parameter effect: makes it, of its number, its key and the number of the input that it goes back to.
    @inline(__always)
    package func begin(
        effectOf instance: String, after sequence: UInt64,
        _ effect: (_ number: UInt64, _ key: String, _ input: UInt64) -> JournalEffect
    ) -> JournalEffect {
        let shown = shown.flatMap { $0.sequence == sequence ? $0 : nil }
        let key = shown?.name.key ?? key(of: sequence, for: instance)
        let input = shown?.input ?? inputNumber(of: sequence)
        let begun = open.withLock { open in
            open.lastEffect += 1
            var begun = effect(open.lastEffect, key, input)
            if let shown { begun.attempt = shown.name.attempt }
            if shown?.waits != true { open.batch.begun.append(begun) }
            return begun
        }
        if shown?.waits == true { waiting.add(.begun(begun), of: begun.number) }
        return begun
    }

    /// Takes note of one more effect of an action of which another one is known, once what was put into the queue before is recorded.
    ///
    /// - Returns: it under its number.
    func begin(beside known: JournalEffect) -> JournalEffect {
        let number = open.withLock { open in
            open.lastEffect += 1
            return open.lastEffect
        }
        let effect = known.numbered(number)
        waiting.add(.begun(effect), of: number)
        return effect
    }

    /// Takes note that an effect is begun again, or is another instance's from here on.
    package func resume(_ effect: JournalEffect) { add(.resumed(effect), of: effect.number) }

    /// Takes note that an effect is over, once what it has emitted is recorded.
    package func end(effect number: UInt64) { add(.ended, of: number) }

    /// Takes note of what has become of an effect, unless something of it waits, which it joins.
    private func add(_ change: WaitingEffects.Change, of number: UInt64) {
        guard waiting.isEmpty || !waiting.contains(number) else { return waiting.add(change, of: number) }
        let isFirst = open.withLock { $0.add(change, of: number) && $0.notice() }
        if isFirst { notice() }
    }

    /// Takes note that an effect is written anew, once what was put into the queue before is recorded.
    func resume(withOutputs effect: JournalEffect) { waiting.add(.resumed(effect), of: effect.number) }

    /// Takes note that an effect is over, once what was put into the queue before is recorded.
    func end(effectWithOutputs number: UInt64) { waiting.add(.ended, of: number) }
}
