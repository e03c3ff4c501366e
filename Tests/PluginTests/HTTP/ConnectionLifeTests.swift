// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// Which connection goes first where there are too many.
@Suite(.timeLimit(.minutes(10))) struct ConnectionLifeTests {
    /// A connection without a socket that has been somewhere since a time.
    private func life(_ phase: ConnectionLife.Phase, since time: ContinuousClock.Instant) -> ConnectionLife {
        let life = ConnectionLife(-1)
        life.enter(phase, at: time)
        return life
    }

    @Test func `who waits goes before who sends a body, and who sends one before an answer that takes long`()
        throws
    {
        let now = ContinuousClock.now
        func age(_ phase: ConnectionLife.Phase, after seconds: Int) throws -> ConnectionLife.Age {
            try #require(life(phase, since: now + .seconds(seconds)).age(now + .seconds(100)))
        }
        #expect(try age(.idle, after: 2) < age(.receiving, after: 1))
        #expect(try age(.receiving, after: 1) < age(.answering, after: 0))
        #expect(try age(.idle, after: 1) < age(.idle, after: 2))
    }

    @Test func `an answer of up to ten seconds and a stream stay`() {
        let now = ContinuousClock.now
        let answering = life(.answering, since: now)
        #expect(answering.age(now + .seconds(10)) == nil)
        #expect(answering.age(now + .seconds(10) + .nanoseconds(1)) != nil)
        #expect(life(.streaming, since: now).age(now + .seconds(100)) == nil)
    }
}
