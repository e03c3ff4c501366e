// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// The effect in time that the guide for plugin authors shows.
@Suite(.timeLimit(.minutes(10))) struct TypingTests {
    @Test func `with a clock, the search waits for a pause in typing`() async throws {
        let store = try TestStore(Typing.self)
        try store.send(.typed("t"))
        store.advance(by: .milliseconds(299))
        try store.send(.typed("te"))
        store.advance(by: .milliseconds(299))
        #expect(store.runningEffects == 1)
        store.advance(by: .milliseconds(1))
        try await store.receive(.search("te"))
        try await store.finish()
    }

    @Test func `without a clock, each letter is searched for`() async throws {
        let store = try TestStore(Typing.self, clock: nil)
        for text in ["t", "te"] {
            try store.send(.typed(text))
            try await store.receive(.search(text))
        }
        try await store.finish()
    }
}
