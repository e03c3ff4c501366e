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
        let name = shown.flatMap { $0.sequence == sequence ? $0.name : nil }
        let key = name?.key ?? key(of: sequence, for: instance)
        let input = inputNumber(of: sequence)
        return open.withLock { open in
            open.lastEffect += 1
            var begun = effect(open.lastEffect, key, input)
            if let name { begun.attempt = name.attempt }
            open.batch.begun.append(begun)
            return begun
        }
    }

    /// Takes note that an effect is begun again, or is another instance's from here on.
    package func resume(_ effect: JournalEffect) {
        let isFirst = open.withLock { open in
            open.batch.resumed.append(effect)
            return open.notice()
        }
        if isFirst { notice() }
    }

    /// Takes note that an effect is over, once what it has emitted is recorded.
    package func end(effect number: UInt64) {
        let isFirst = open.withLock { $0.end(effect: number) && $0.notice() }
        if isFirst { notice() }
    }
}
