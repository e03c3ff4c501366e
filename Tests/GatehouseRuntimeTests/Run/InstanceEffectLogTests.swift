// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// What stands for an action of a worker until it has come to its end.
@Suite(.timeLimit(.minutes(10))) struct InstanceEffectLogTests {
    @Test func `an action that is answered is known by what stands for it, and by nothing else of it`() {
        var effect = JournalEffect(
            number: 7, instance: "a", sequence: 3, recovery: .again, key: "k", action: AnyAction("a/b"),
            source: ActionSource(file: "test", function: "", line: 0, info: nil))
        let before = effect
        #expect(!effect.isAnswered && !effect.standsForAll)
        effect.isAnswered = true
        #expect(effect.isAnswered && effect.standsForAll)
        #expect(effect.number == before.number && effect.key == before.key)
        effect.isAnswered = false
        #expect(!effect.isAnswered && effect.standsForAll)
        // No effect of an instance in the host has such a place among the others.
        effect.ordinal = 1
        #expect(!effect.isAnswered && !effect.standsForAll)
    }
}
