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
        guard let shown else {
            return open.withLock { open in
                open.lastEffect += 1
                let begun = effect(open.lastEffect, key, input)
                open.batch.begun.append(begun)
                return begun
            }
        }
        return begin(shown) { number in
            var begun = effect(number, key, input)
            begun.attempt = shown.name.attempt
            return begun
        }
    }

    /// Takes note of an effect of an action that is shown once more.
    private func begin(_ shown: ShownAction, _ effect: (_ number: UInt64) -> JournalEffect) -> JournalEffect {
        let begun = open.withLock { open in
            open.lastEffect += 1
            let begun = effect(open.lastEffect)
            if !shown.waits { open.batch.begun.append(begun) }
            return begun
        }
        if shown.waits { begin(withOutputs: begun) }
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
        begin(withOutputs: effect)
        return effect
    }

    /// Takes note that an effect is begun again, or is another instance's from here on.
    package func resume(_ effect: JournalEffect) {
        if isPending, replacePending(effect) { return }
        let isFirst = open.withLock { open in
            open.batch.resumed.append(effect)
            return open.notice()
        }
        if isFirst { notice() }
    }

    /// Takes note that an effect is over, once what it has emitted is recorded.
    package func end(effect number: UInt64) {
        if isPending, endPending(number) { return }
        let isFirst = open.withLock { $0.end(effect: number) && $0.notice() }
        if isFirst { notice() }
    }
}
