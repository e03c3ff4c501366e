// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

/// What has become of effects since outputs were put into the queue that are not recorded yet: a journal has it with them, or not at all.
///
/// Of each effect there is one change, the sum of all; so whatever else is noted of it joins that, and cannot overtake it.
struct WaitingEffects {
    /// What a journal is to be told of an effect.
    enum Change {
        /// It has begun.
        case begun(JournalEffect)
        /// It is to be written anew.
        case resumed(JournalEffect)
        /// It is over.
        case ended
    }

    /// By the numbers of the effects.
    private var changes: [UInt64: Change] = [:]

    /// Whether nothing waits.
    var isEmpty: Bool { changes.isEmpty }

    /// Whether something of this effect waits.
    func contains(_ number: UInt64) -> Bool { changes[number] != nil }

    /// Takes note of a change after those before. An effect that ends before its beginning was written has never been.
    mutating func add(_ change: Change, of number: UInt64) {
        switch (changes[number], change) {
        case (.begun, .ended): changes[number] = nil
        case (.begun, .resumed(let effect)): changes[number] = .begun(effect)
        case (.ended, _): break
        default: changes[number] = change
        }
    }

    /// Hands over all that waits, in the order in which the effects have got their numbers.
    mutating func settle(_ body: (Change, UInt64) -> Void) {
        for (number, change) in changes.sorted(by: { $0.key < $1.key }) { body(change, number) }
        changes.removeAll(keepingCapacity: true)
    }
}
