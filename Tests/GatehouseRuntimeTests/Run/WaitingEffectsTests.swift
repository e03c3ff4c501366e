// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import SeededTesting
import Testing

@testable import GatehouseRuntime

/// What waits to be recorded of effects with outputs that are not recorded yet.
@Suite(.timeLimit(.minutes(10))) struct WaitingEffectsTests {
    /// An effect that has begun so often.
    private func effect(_ number: UInt64, attempt: UInt32 = 1) -> JournalEffect {
        var effect = JournalEffect(number: number, instance: "a", sequence: 3, key: "k")
        effect.attempt = attempt
        return effect
    }

    /// What is handed over, in order.
    private func settle(_ waiting: inout WaitingEffects) -> [String] {
        var told: [String] = []
        waiting.settle { change, number in
            switch change {
            case .begun(let effect): told.append("\(number) begun \(effect.attempt)")
            case .resumed(let effect): told.append("\(number) resumed \(effect.attempt)")
            case .ended: told.append("\(number) ended")
            }
        }
        return told
    }

    @Test func `of each effect one change is handed over, in the order of their numbers`() {
        var waiting = WaitingEffects()
        #expect(waiting.isEmpty)
        waiting.add(.ended, of: 9)
        waiting.add(.resumed(effect(2)), of: 2)
        waiting.add(.begun(effect(5)), of: 5)
        waiting.add(.resumed(effect(2, attempt: 3)), of: 2)
        #expect(!waiting.isEmpty)
        #expect(waiting.contains(5))
        #expect(!waiting.contains(4))
        #expect(settle(&waiting) == ["2 resumed 3", "5 begun 1", "9 ended"])
        #expect(waiting.isEmpty)
        #expect(settle(&waiting) == [])
    }

    @Test func `an effect that is written anew before its beginning was begins as it was written last`() {
        var waiting = WaitingEffects()
        waiting.add(.begun(effect(1)), of: 1)
        waiting.add(.resumed(effect(1, attempt: 2)), of: 1)
        #expect(settle(&waiting) == ["1 begun 2"])
    }

    @Test func `an effect that ends before its beginning was written has never been`() {
        var waiting = WaitingEffects()
        waiting.add(.begun(effect(1)), of: 1)
        waiting.add(.resumed(effect(1)), of: 1)
        waiting.add(.ended, of: 1)
        #expect(waiting.isEmpty)
        #expect(settle(&waiting) == [])
    }

    @Test func `nothing revives an effect that has ended`() {
        var waiting = WaitingEffects()
        waiting.add(.resumed(effect(1)), of: 1)
        waiting.add(.ended, of: 1)
        waiting.add(.resumed(effect(1, attempt: 2)), of: 1)
        #expect(settle(&waiting) == ["1 ended"])
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `a journal knows what it would if it learned of each change at once`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Effects 1 to 3 stand in the journal, the others have not begun.
        let before = Dictionary(uniqueKeysWithValues: (1...3).map { (UInt64($0), UInt32(1)) })
        var (expected, told) = (before, before)
        var next: UInt64 = 4
        var waiting = WaitingEffects()
        /// Lets a journal know of a change.
        func know(_ change: WaitingEffects.Change, of number: UInt64, in journal: inout [UInt64: UInt32]) {
            switch change {
            case .begun(let effect), .resumed(let effect): journal[number] = effect.attempt
            case .ended: journal[number] = nil
            }
        }
        for attempt in 2..<UInt32.random(in: 3...30, using: &generator) {
            let running = expected.keys.sorted()
            let number = running.randomElement(using: &generator) ?? next
            let change: WaitingEffects.Change
            if running.isEmpty || Bool.random(using: &generator) {
                change = .begun(effect(next, attempt: attempt))
                know(change, of: next, in: &expected)
                waiting.add(change, of: next)
                next += 1
                continue
            }
            change = Bool.random(using: &generator) ? .ended : .resumed(effect(number, attempt: attempt))
            know(change, of: number, in: &expected)
            waiting.add(change, of: number)
        }
        waiting.settle { change, number in know(change, of: number, in: &told) }
        #expect(told == expected)
    }
}
