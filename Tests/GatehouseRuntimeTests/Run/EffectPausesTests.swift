// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(5))) struct EffectPausesTests {
    /// The clock that all of them wait by in the end.
    private let time = ManualClock()
    /// The pauses.
    private let pauses = EffectPauses()

    /// The clock of an instance.
    private func clock(of instance: String) -> HostClock {
        pauses.clock(of: instance, like: HostClock(clock: time) { 7 })
    }

    @Test func `a pause is over when its time has come`() async throws {
        let sleeper = Task { [clock = clock(of: "chat")] in try await clock.sleep(for: .seconds(5)) }
        await time.sleepers(1)
        #expect(pauses.count(of: "chat") == 1)
        time.advance(by: .seconds(5))
        try await sleeper.value
        #expect(pauses.count(of: "chat") == 0)
        #expect(clock(of: "chat").unixTime() == 7)
    }

    @Test func `those of one instance are ended, and no others`() async throws {
        let ended = (1...2).map { _ in
            Task { [clock = clock(of: "chat")] in try await clock.sleep(for: .seconds(5)) }
        }
        let other = Task { [clock = clock(of: "mail")] in try await clock.sleep(for: .seconds(5)) }
        await time.sleepers(3)
        #expect(pauses.end(of: "chat") == 2)
        for sleeper in ended { try await sleeper.value }
        #expect(pauses.end(of: "chat") == 0)
        #expect(pauses.count(of: "mail") == 1)
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        #expect(pauses.count(of: "mail") == 0)
    }

    @Test func `whoever is cancelled hears of it, also where the pause was ended`() async throws {
        let sleeper = Task { [clock = clock(of: "chat")] in try await clock.sleep(for: .seconds(5)) }
        await time.sleepers(1)
        sleeper.cancel()
        _ = pauses.end(of: "chat")
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
