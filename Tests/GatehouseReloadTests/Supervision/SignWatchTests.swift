// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseReload
@testable import GatehouseRuntime

/// What is said of signs of life that do not come, and of time in which none could.
@Suite(.timeLimit(.minutes(10))) struct SignWatchTests {
    /// The notices of a watch with a limit of ten seconds that looks at signs each second.
    private func notices(_ signs: [(asked: UInt64, loop: UInt64, pool: UInt64)]) -> [[SignWatch.Notice]] {
        var watch = SignWatch(limit: .seconds(10))
        let start = ContinuousClock.now
        return signs.enumerated().map { second, signs in
            watch.look(
                at: RecordedSigns(asked: signs.asked, loop: signs.loop, pool: signs.pool),
                now: start + .seconds(second))
        }
    }

    @Test func `a host that has asked nothing yet owes no answer`() {
        #expect(notices(Array(repeating: (0, 0, 0), count: 60)).joined().isEmpty)
    }

    @Test func `a part that answers each question is never told of, however far those are apart`() {
        let signs = (0..<60).map { second -> (asked: UInt64, loop: UInt64, pool: UInt64) in
            let number = UInt64(1 + second / 9)
            return (number, number, number)
        }
        #expect(notices(signs).joined().isEmpty)
    }

    @Test func `a part that has not answered for the time is told of once, and that it moves again`() {
        let signs = (0..<30).map { second -> (asked: UInt64, loop: UInt64, pool: UInt64) in
            let asked = UInt64(1 + second / 3)
            return (asked, asked, second < 20 ? 1 : asked)
        }
        let told = notices(signs)
        // The second question is asked after three seconds.
        #expect(told[12] == [.still(.pool, .seconds(10))])
        #expect(told[20] == [.moves(.pool, .seconds(18))])
        #expect(told.enumerated().allSatisfy { [12, 20].contains($0) || $1.isEmpty })
    }

    @Test func `whoever asks is missed after twice the time`() {
        let told = notices(Array(repeating: (1, 1, 1), count: 40))
        #expect(told[20] == [.still(.pulse, .seconds(20))])
        #expect(told.joined().count == 1)
    }

    @Test func `a machine that sleeps, and a host that is stopped, owe nothing for that time`() {
        let start = ContinuousClock.now
        var clock = PatientClock(lookingEvery: .seconds(1), from: start)
        #expect(clock.look(at: start + .seconds(1)) == start + .seconds(1))
        // Asleep for an hour.
        #expect(clock.look(at: start + .seconds(3_601)) == start + .seconds(3))
        #expect(clock.look(isStopped: true, at: start + .seconds(3_602)) == start + .seconds(3))
        #expect(clock.look(at: start + .seconds(3_603)) == start + .seconds(4))
    }

    @Test func `a part is told of again when it stands still a second time`() {
        // The pool answers the second question after 15 seconds, and the third never.
        let signs = (0..<40).map { second -> (asked: UInt64, loop: UInt64, pool: UInt64) in
            let asked = UInt64(2 + second / 16)
            return (asked, asked, second < 15 ? 1 : 2)
        }
        let told = notices(signs)
        #expect(told[10] == [.still(.pool, .seconds(10))])
        #expect(told[15] == [.moves(.pool, .seconds(15))])
        #expect(told[25] == [.still(.pool, .seconds(10))])
        #expect(told.joined().count == 3)
    }

    @Test func `the loop and the pool are told of by themselves, in this order`() {
        let signs = (0..<12).map { second -> (asked: UInt64, loop: UInt64, pool: UInt64) in
            (2, second < 11 ? 1 : 2, 1)
        }
        let told = notices(signs)
        #expect(told[10] == [.still(.loop, .seconds(10)), .still(.pool, .seconds(10))])
        #expect(told[11] == [.moves(.loop, .seconds(11))])
    }

    @Test func `whoever asks moves again when the next question comes`() {
        let signs = (0..<30).map { second -> (asked: UInt64, loop: UInt64, pool: UInt64) in
            let asked: UInt64 = second < 25 ? 1 : 2
            return (asked, asked, asked)
        }
        let told = notices(signs)
        #expect(told[20] == [.still(.pulse, .seconds(20))])
        #expect(told[25] == [.moves(.pulse, .seconds(25))])
    }

    @Test func `a clock does not go back, and counts up to twice its pause`() {
        let start = ContinuousClock.now
        var clock = PatientClock(lookingEvery: .seconds(10), from: start)
        #expect(clock.look(at: start + .seconds(20)) == start + .seconds(20))
        #expect(clock.look(at: start + .seconds(41)) == start + .seconds(40))
        #expect(clock.look(at: start + .seconds(31)) == start + .seconds(40))
        #expect(clock.look(at: start + .seconds(32)) == start + .seconds(41))
    }
}
