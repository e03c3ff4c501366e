// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// What becomes of effects that an earlier run has left.
@Suite(.timeLimit(.minutes(10))) struct EffectFateTests {
    /// An effect with an action.
    private func effect(
        _ number: UInt64 = 1, of instance: String = "a", after sequence: UInt64 = 3, key: String = "k",
        recovery: EffectRecovery = .again, input: UInt64 = 0
    ) -> JournalEffect {
        JournalEffect(
            number: number, instance: instance, sequence: sequence, recovery: recovery, input: input,
            key: key,
            action: AnyAction("a/b"))
    }

    @Test func `whoever takes over has the effect under its own id and with one more attempt`() {
        var expected = effect()
        (expected.instance, expected.attempt) = ("b", 2)
        #expect(EffectFate(of: effect(), for: "b", skipping: [:]) == .inherited(expected))
        var told = effect(recovery: .tell)
        #expect(EffectFate(of: told, for: "a", skipping: [:]) != .told)
        told.attempt = 2
        #expect(EffectFate(of: effect(recovery: .tell), for: "a", skipping: [:]) == .inherited(told))
    }

    @Test func `without anybody who takes over it becomes a dead letter or is told`() {
        #expect(
            EffectFate(of: effect(), for: nil, skipping: [:])
                == .buried(.unfinished, "it had not ended, and no instance takes over from a"))
        #expect(EffectFate(of: effect(recovery: .tell), for: nil, skipping: [:]) == .told)
    }

    @Test func `what goes back to a skipped input becomes a dead letter, whoever takes over`() {
        let skipped: [UInt64: String] = [7: "it has ended the host twice"]
        for heir in ["a", nil] {
            #expect(
                EffectFate(of: effect(input: 7), for: heir, skipping: skipped)
                    == .buried(.setAside, "it has ended the host twice"))
        }
        #expect(
            EffectFate(of: effect(input: 8), for: nil, skipping: skipped)
                != .buried(.setAside, "it has ended the host twice"))
    }

    @Test func `what was interrupted too often, or cannot be read, is not shown`() {
        #expect(EffectFate.refusal(of: effect()) == nil)
        var often = effect()
        often.attempt = JournalEffect.mostAttempts
        #expect(EffectFate.refusal(of: often) == nil)
        often.attempt += 1
        #expect(
            EffectFate.refusal(of: often) == "it was interrupted 100 times, and is not begun again")
        var ends = effect()
        ends.ends = JournalEffect.mostEnds - 1
        #expect(EffectFate.refusal(of: ends) == nil)
        ends.ends += 1
        #expect(
            EffectFate.refusal(of: ends)
                == "10 members ended while it was under way, and it is not begun again")
        var unread = effect()
        unread.action = nil
        #expect(
            EffectFate.refusal(of: unread) == "the action that started it can no longer be read")
    }

    @Test func `effects of one instance for one action begin together`() {
        /// The numbers of effects in their groups.
        func groups(_ effects: JournalEffect...) -> [[UInt64]] {
            EffectFate.groups(of: effects).map { $0.map(\.number) }
        }
        let first = effect(1)
        #expect(groups() == [])
        #expect(groups(first) == [[1]])
        #expect(groups(first, effect(2), effect(3)) == [[1, 2, 3]])
        #expect(groups(first, effect(2, after: 4)) == [[1], [2]])
        #expect(groups(first, effect(2, key: "l")) == [[1], [2]])
        #expect(groups(first, effect(2, recovery: .tell)) == [[1], [2]])
        #expect(groups(effect(1, recovery: .tell), effect(2), effect(3)) == [[1], [2, 3]])
        // The first of those that a worker has told is as old as their action, and others are not.
        #expect(groups(first, effect(2, of: "b"), effect(3), effect(4, of: "b")) == [[1, 3], [2, 4]])
    }
}
