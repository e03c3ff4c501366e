// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

/// Waiting for a moment of the calendar.
@Suite(.timeLimit(.minutes(10))) struct HostClockTests {
    /// A clock that goes on by itself as far as somebody wants to sleep, and gives up after ten times.
    private final class Skipping: Clock, Sendable {
        typealias Instant = ContinuousClock.Instant

        private let start = ContinuousClock.now
        let slept = Mutex<[Duration]>([])

        var now: Instant { start.advanced(by: slept.withLock { $0.reduce(.zero, +) }) }
        var minimumResolution: Duration { .nanoseconds(1) }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            let duration = now.duration(to: deadline)
            let count = slept.withLock { slept in
                slept.append(duration)
                return slept.count
            }
            if count > 10 { throw CancellationError() }
        }

        /// The time of the calendar, which began with a thousand seconds.
        var unixTime: Double { 1_000 + start.duration(to: now) / .seconds(1) }
    }

    /// What the clock slept until a moment came.
    private func sleeps(until moment: Double) async throws -> [Duration] {
        let skipping = Skipping()
        try await HostClock(clock: skipping, unixTime: { skipping.unixTime }).sleep(until: moment)
        return skipping.slept.withLock { $0 }
    }

    @Test func `a wait is as long as it must be, and looks at the calendar once a minute`() async throws {
        #expect(try await sleeps(until: 1_000.5) == [.milliseconds(500)])
        #expect(try await sleeps(until: 1_060) == [.seconds(60)])
        #expect(
            try await sleeps(until: 1_150.5) == [.seconds(60), .seconds(60), .milliseconds(30_500)])
    }

    @Test(arguments: [1_000, 999.5, 0]) func `a moment that has come is not waited for`(moment: Double)
        async throws
    {
        #expect(try await sleeps(until: moment) == [])
    }

    @Test func `a duration is slept on the clock, and its end by force is thrown`() async throws {
        let skipping = Skipping()
        let clock = HostClock(clock: skipping, unixTime: { 0 })
        try await clock.sleep(for: .seconds(7))
        #expect(skipping.slept.withLock { $0 } == [.seconds(7)])
        // A calendar that stands still.
        await #expect(throws: CancellationError.self) { try await clock.sleep(until: 1) }
    }
}
