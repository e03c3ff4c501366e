// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ManualClockTests {
    @Test func `whoever sleeps wakes when the clock has moved far enough`() async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        try await sleeper.value
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func `the next deadline is the earliest, and none when nobody sleeps`() async throws {
        let clock = ManualClock()
        #expect(clock.nextDeadline == nil)
        let sleepers = [3, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        await clock.sleepers(2)
        #expect(clock.nextDeadline?.offset == .seconds(2))
        clock.advance(by: .seconds(2))
        try await sleepers[1].value
        #expect(clock.nextDeadline?.offset == .seconds(3))
        clock.advance(by: .seconds(1))
        try await sleepers[0].value
        #expect(clock.nextDeadline == nil)
    }

    @Test func `whoever is cancelled wakes at once, also before it sleeps`() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        let (gate, keeper) = AsyncStream<Never>.makeStream()
        let late = Task {
            for await _ in gate {}
            try await clock.sleep(for: .seconds(1))
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(clock.sleepers == 0)
        withExtendedLifetime(keeper) {}
    }

    @Test func `a moment that has passed is not waited for`() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: .init(offset: .seconds(1)), tolerance: nil)
    }
}
