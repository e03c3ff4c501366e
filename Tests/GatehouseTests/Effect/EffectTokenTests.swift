// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EffectTokenTests {
    /// All equal by hash, unequal by value.
    private struct Colliding: Hashable, Sendable {
        let value: Int
        func hash(into hasher: inout Hasher) { hasher.combine(0) }
    }

    @Test func `token identity is equality of value and type`() {
        #expect(EffectToken(1) == EffectToken(1))
        #expect(EffectToken(1) != EffectToken(2))
        #expect(EffectToken(1) != EffectToken(1.0))
        #expect(EffectToken(1) != EffectToken(UInt8(1)))
        #expect(EffectToken("1") != EffectToken(Substring("1")))
        #expect(EffectToken(Optional(1)) != EffectToken(1))
    }

    @Test func `tokens with equal hashes are different`() {
        #expect(EffectToken(Colliding(value: 1)) != EffectToken(Colliding(value: 2)))
        #expect(Set([EffectToken(Colliding(value: 1)), EffectToken(Colliding(value: 2))]).count == 2)
    }

    @Test func `equal tokens have equal hashes`() {
        #expect(Set([EffectToken("a"), EffectToken("a"), EffectToken("b")]).count == 2)
    }

    @Test func `a token of a token is that token`() {
        #expect(EffectToken(EffectToken(1)) == EffectToken(1))
    }
}
