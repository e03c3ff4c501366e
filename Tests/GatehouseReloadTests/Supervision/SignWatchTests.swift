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
}
