// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// When a server was silent for so long that it may have been replaced.
@Suite(.timeLimit(.minutes(10))) struct RedisPulseTests {
    private let start = ContinuousClock.now

    @Test func `a server that answers for the first time is not trusted yet`() {
        let pulse = RedisPulse(at: start)
        #expect(pulse.doubt == 1)
        pulse.clear(1)
        #expect(pulse.doubt == nil)
    }

    @Test func `answers without a long pause between them leave no doubt`() {
        let pulse = RedisPulse(at: start)
        pulse.clear(1)
        for second in 1...5 { pulse.beat(at: start + .seconds(second)) }
        #expect(pulse.doubt == nil)
    }

    @Test func `each silence is a doubt of its own`() {
        let pulse = RedisPulse(at: start)
        pulse.clear(1)
        pulse.beat(at: start + .milliseconds(1_001))
        #expect(pulse.doubt == 2)
        pulse.beat(at: start + .seconds(3))
        #expect(pulse.doubt == 3)
        // Asked about the first one, Sentinels have said nothing about the second.
        pulse.clear(2)
        #expect(pulse.doubt == 3)
        pulse.clear(3)
        #expect(pulse.doubt == nil)
    }

    @Test func `an answer that is recorded late is no silence`() {
        let pulse = RedisPulse(at: start)
        pulse.clear(1)
        pulse.beat(at: start + .seconds(1))
        pulse.beat(at: start - .seconds(5))
        pulse.beat(at: start + .seconds(2))
        #expect(pulse.doubt == nil)
    }
}
