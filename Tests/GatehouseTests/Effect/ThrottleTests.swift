// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import Gatehouse

/// The intervals of throttled effects by themselves.
@Suite(.timeLimit(.minutes(5)))
struct ThrottleTests {
    private let clock = ManualClock()
    private let trace = Trace()

    /// Begins an interval of five seconds.
    private func open(_ id: String, in throttle: Throttle) -> Bool {
        throttle.open(EffectToken(id), Alarm.after(.seconds(5), on: clock), interval: .seconds(5), nil)
    }

    /// Something to be started.
    private func start(_ name: String) -> AnyActionHandler<Void> {
        AnyActionHandler { [trace] _ in trace.add(name) }
    }

    @Test func `what comes when its interval has just ended is started at once`() {
        let throttle = Throttle()
        throttle.await(EffectToken("t"), start("late"))
        #expect(trace.lines == ["late"])
        #expect(throttle.count == 0)
    }

    @Test func `what waits is started once, and an interval in which nothing more came is the last`() async {
        let throttle = Throttle()
        #expect(open("a", in: throttle))
        throttle.await(EffectToken("a"), start("a"))
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        while trace.lines.isEmpty { await Task.yield() }
        await clock.sleepers(1)
        #expect(throttle.count == 1)
        clock.advance(by: .seconds(5))
        while throttle.count == 1, trace.lines.count == 1 { await Task.yield() }
        #expect(trace.lines == ["a"])
        #expect(throttle.count == 0)
    }

    @Test func `each id has an interval of its own, until all are forgotten with what waits for them`() async
    {
        let throttle = Throttle()
        #expect(open("a", in: throttle))
        #expect(open("b", in: throttle))
        #expect(!open("a", in: throttle))
        #expect(throttle.count == 2)
        throttle.await(EffectToken("a"), start("a"))
        await clock.sleepers(2)
        throttle.cancelAll()
        #expect(throttle.count == 0)
        await clock.sleepers(0)
        #expect(trace.lines == [])
        #expect(open("a", in: throttle))
    }

    @Test func `intervals end with what they belong to`() async {
        var throttle: Throttle? = Throttle()
        let isOpen = throttle.map { open("a", in: $0) }
        #expect(isOpen == true)
        await clock.sleepers(1)
        throttle = nil
        await clock.sleepers(0)
    }
}
