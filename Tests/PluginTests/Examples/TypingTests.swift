// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// The effect in time that the guide for plugin authors shows.
@Suite(.timeLimit(.minutes(1)))
struct TypingTests {
    /// A clock whose sleepers wake at once, and that tells for how long they wanted to sleep.
    private struct ImpatientClock: Clock {
        /// A moment of this clock.
        struct Instant: InstantProtocol {
            var offset: Duration
            func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
            func duration(to other: Instant) -> Duration { other.offset - offset }
            static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
        }

        let asked: AsyncStream<Duration>.Continuation
        var now: Instant { Instant(offset: .zero) }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            asked.yield(deadline.offset)
        }
    }

    @Test func `with a clock, the search waits for a pause in typing`() async throws {
        let (asked, askedContinuation) = AsyncStream<Duration>.makeStream()
        let (answers, continuation) = AsyncStream<AnyAction>.makeStream()
        let clock = HostClock(clock: ImpatientClock(asked: askedContinuation), unixTime: { 0 })
        let parts = try PluginEntry.exports(of: Typing.self).makeParts(settings: [:]) { misfit in
            Issue.record("\(misfit)")
        }
        let services = HostServices(
            instance: "typing", log: PluginLog { _, _ in }, clock: clock, dataDirectory: nil)
        let middleware = try #require(parts.readers.first).inject(services)
        middleware.handle(
            action: AnyAction("typed", payload: "tea"), from: .here(), state: GetState { parts.slice }
        ).run { continuation.yield($0.action) }
        #expect(await asked.first { _ in true } == .milliseconds(300))
        let search = try #require(await answers.first { _ in true })
        #expect(try search.wireForm() == ["type": "search", "payload": "tea"])
        withExtendedLifetime(middleware) {}
    }

    @Test func `without a clock, each letter is searched for`() throws {
        let harness = try PluginHarness(Typing.self)
        harness.send("typed", "t")
        harness.send("typed", "te")
        #expect(harness.actions.map(\.action.type) == ["typed", "search", "typed", "search"])
    }
}
