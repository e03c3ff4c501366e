// SPDX-License-Identifier: Apache-2.0

import Glibc
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

    @Test
    func
        `whoever waits goes before whoever sends a body, and whoever sends one before an answer that takes long`()
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

    /// A connection with a socket, and the other end of it.
    private final class Pair {
        let life: ConnectionLife
        let (own, other): (Int32, Int32)

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            (own, other) = (ends[0], ends[1])
            life = ConnectionLife(own)
        }

        /// Whether somebody has hung up on the other end.
        var isHungUp: Bool {
            var watched = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&watched, 1, 0) == 1
        }

        deinit {
            close(own)
            close(other)
        }
    }

    @Test(arguments: [ConnectionLife.Phase.idle, .receiving])
    func `a header or a body may take twelve rounds, and is then hung up on`(
        phase: ConnectionLife.Phase
    ) throws {
        let pair = try Pair()
        pair.life.enter(phase)
        for _ in 0..<12 { #expect(pair.life.tick() == nil) }
        #expect(!pair.isHungUp)
        #expect(pair.life.tick() == phase)
        #expect(pair.isHungUp)
        // It is told once in as many rounds.
        #expect(pair.life.tick() == nil)
    }

    @Test func `a phase counts from its own beginning, and an answer takes any time`() throws {
        let pair = try Pair()
        for _ in 0..<12 { #expect(pair.life.tick() == nil) }
        pair.life.enter(.receiving)
        for _ in 0..<12 { #expect(pair.life.tick() == nil) }
        for phase in [ConnectionLife.Phase.answering, .streaming] {
            pair.life.enter(phase)
            for _ in 0..<30 { #expect(pair.life.tick() == nil) }
        }
        #expect(!pair.isHungUp)
    }

    @Test func `a client that sends nothing more is left at the second look`() throws {
        let pair = try Pair()
        #expect(pair.life.tick() == nil)
        shutdown(pair.other, Int32(SHUT_WR))
        #expect(pair.life.tick() == nil)
        #expect(!pair.isHungUp)
        #expect(pair.life.tick() == .idle)
        #expect(pair.isHungUp)
    }

    @Test func `a request between two looks begins anew, and what is closed is not touched`() throws {
        let pair = try Pair()
        shutdown(pair.other, Int32(SHUT_WR))
        #expect(pair.life.tick() == nil)
        pair.life.enter(.receiving)
        #expect(pair.life.tick() == nil)
        pair.life.end()
        for _ in 0..<11 { #expect(pair.life.tick() == nil) }
        #expect(pair.life.tick() == .receiving)
        pair.life.hangUp()
        #expect(!pair.isHungUp)
    }

    @Test func `whoever is new may ask for a second, and whoever sends a body at any time`() throws {
        let now = ContinuousClock.now
        let new = ConnectionLife(-1)
        let begin = try #require(new.age(now)).since
        #expect(new.mayAsk(begin + .milliseconds(999)))
        #expect(!new.mayAsk(begin + .seconds(1)))
        #expect(life(.receiving, since: now).mayAsk(now + .seconds(100)))
        for phase in [ConnectionLife.Phase.idle, .answering, .streaming] {
            #expect(!life(phase, since: now).mayAsk(now))
        }
    }
}
