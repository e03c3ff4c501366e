// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EffectClockTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>
    typealias Work = Effect<Void, Int>

    private let trace = Trace()
    private let clock = ManualClock()
    /// What was reduced, from 100 up, as it happens.
    private let reduced = AsyncStream<Int>.makeStream()

    /// A store that answers small actions by the effect and tells of the others.
    private func store(
        _ effect: @escaping @Sendable (Int) -> Work
    ) -> (Store<Int, Int>, UnsafeShare<Middleware>) {
        let continuation = reduced.continuation
        let shared = UnsafeShare(
            Middleware.onAction { action, _, _ in action < 100 ? effect(action) : .doNothing })
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: .reduce { action, state in
                state += 1
                if action >= 100 { continuation.yield(action) }
            },
            middleware: Forward(shared))
        return (store, shared)
    }

    @Test func `a delayed effect starts when its time has come, not before`() async {
        let (store, shared) = store { [clock] action in
            Work.just(action + 100).delay(for: .seconds(2), clock: clock)
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(store.state == 1)
        #expect(shared.value.runningEffects == 1)
        clock.advance(by: .seconds(1))
        #expect(await actions.next() == 101)
    }

    @Test func `a delayed effect keeps its token and is cancelled by it before it starts`() async {
        let (trace, done) = (trace, Signal())
        let (store, shared) = store { [clock] action in
            action == 1
                ? Work.start(token: "t") { _, _ in trace.add("started") }.delay(
                    for: .seconds(2), clock: clock)
                : .cancel("t")
        }
        store.activity.onIdle { done.fire() }
        store.dispatch(1)
        await clock.sleepers(1)
        store.dispatch(2)
        await done.wait()
        await clock.sleepers(0)
        clock.advance(by: .seconds(9))
        #expect(shared.value.runningEffects == 0)
        #expect(trace.lines == [])
    }

    @Test func `delaying nothing is nothing`() {
        #expect(!Work.doNothing.delay(for: .seconds(1)).doesSomething)
        #expect(!Work.doNothing.debounce("d", for: .seconds(1)).doesSomething)
        #expect(!Work.doNothing.throttle(id: "d", for: .seconds(1)).doesSomething)
    }

    @Test func `an effect that starts later is of the same kind`() {
        #expect(Work.just(1).inBackground.delay(for: .seconds(1)).kind == .background)
        #expect(Work.just(1).inBackground.debounce("d", for: .seconds(1)).kind == .background)
        #expect(Work.just(1).debounce("d", for: .seconds(1)).kind == .foreground)
        #expect(Work.just(1).finishing.debounce("d", for: .seconds(1)).kind == .finishing)
        #expect(Work.just(1).finishing.delay(for: .seconds(1)).kind == .finishing)
    }

    @Test func `of debounced effects only the last is started, after a quiet time`() async {
        let (store, shared) = store { [clock] action in
            Work.just(action + 100).debounce("search", for: .seconds(2), clock: clock)
        }
        var actions = reduced.stream.makeAsyncIterator()
        for action in 1...3 {
            store.dispatch(action)
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
        }
        #expect(store.state == 3)
        #expect(shared.value.runningEffects == 1)
        clock.advance(by: .seconds(1))
        #expect(await actions.next() == 103)
    }

    @Test func `a debounced join whose part has the token of the debounce emits what all its parts emit`()
        async
    {
        let (store, shared) = store { [clock] action in
            .merge(
                .start(token: "d") { _, output in output.send(action + 100) }, .cancel("d"),
                .just(action + 110)
            ).debounce("d", for: .seconds(1), clock: clock)
        }
        var actions = reduced.stream.makeAsyncIterator()
        let done = Signal()
        store.dispatch(1)
        store.dispatch(2)
        await clock.sleepers(1)
        store.activity.onIdle { done.fire() }
        clock.advance(by: .seconds(1))
        #expect(await actions.next() == 102)
        #expect(await actions.next() == 112)
        await done.wait()
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `what is appended to a debounced join comes when its parts have ended`() async {
        let kept = Kept<EffectOutput<Int>>()
        let (store, _) = store { [clock] _ in
            (Work.just(100) <> .start(token: "d") { _, output in kept.value = output })
                .debounce("d", for: .seconds(1), clock: clock).append(101)
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await actions.next() == 100)
        kept.value?.send(102)
        kept.value?.finish()
        #expect(await actions.next() == 102)
        #expect(await actions.next() == 101)
    }

    @Test func `debounced effects with different tokens do not disturb each other`() async {
        let (store, _) = store { [clock] action in
            Work.just(action + 100).debounce(action, for: .seconds(action), clock: clock)
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        store.dispatch(2)
        await clock.sleepers(2)
        clock.advance(by: .seconds(1))
        #expect(await actions.next() == 101)
        clock.advance(by: .seconds(1))
        #expect(await actions.next() == 102)
    }

    @Test func `of throttled effects the first starts at once and the latest at the end of the interval`()
        async
    {
        let (store, shared) = store { [clock] action in
            Work.just(action + 100).throttle(id: "t", for: .seconds(5), clock: clock)
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        #expect(await actions.next() == 101)
        await clock.sleepers(1)
        store.dispatch(2)
        store.dispatch(3)
        #expect(shared.value.runningEffects == 1, "the one that was replaced is over")
        clock.advance(by: .seconds(5))
        #expect(await actions.next() == 103)
        await clock.sleepers(1)
        store.dispatch(4)
        clock.advance(by: .seconds(5))
        #expect(await actions.next() == 104)
    }

    @Test func `an interval that ends with nobody waiting lets the next effect start at once`() async {
        let (store, _) = store { [clock] action in
            Work.just(action + 100).throttle(id: "t", for: .seconds(5), clock: clock, latest: false)
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        #expect(await actions.next() == 101)
        await clock.sleepers(1)
        store.dispatch(2)
        #expect(store.activity.isIdle, "what is not wanted later is dropped at once")
        store.dispatch(3)
        clock.advance(by: .seconds(5))
        // The interval ends on another thread, so effects are tried until one is started at once.
        var dispatched = 3
        while store.state == dispatched + 1 {
            store.dispatch(4)
            dispatched += 1
            await Task.yield()
        }
        #expect(await actions.next() == 104)
    }

    @Test func `a throttled effect that is dropped leaves the one that runs under its token`() async {
        let kept = Kept<EffectOutput<Int>>()
        let (store, shared) = store { [clock] action in
            let work = Work.start(token: "t") { _, output in
                kept.value = output
                output.send(action + 100)
            }
            // A part of something that goes on, and with something to come when it has ended.
            let throttled = work.throttle(id: "t", for: .seconds(5), clock: clock, latest: false)
            return action == 1 ? throttled : throttled.map(\.self).append(200 + action)
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        #expect(await actions.next() == 101)
        await clock.sleepers(1)
        store.dispatch(2)
        #expect(await actions.next() == 202, "the dropped one has ended")
        #expect(shared.value.runningEffects == 1)
        kept.value?.send(111)
        #expect(await actions.next() == 111)
    }

    @Test func `a throttled effect that waits for something else is asked when it starts`() async {
        let (store, _) = store { [clock] action in
            Work.just(action + 100)
                .throttle(id: "t", for: .seconds(5), clock: clock, latest: false)
                .delay(for: .seconds(action), clock: clock)
        }
        var actions = reduced.stream.makeAsyncIterator()
        let done = Signal()
        store.activity.onIdle { done.fire() }
        store.dispatch(2)
        store.dispatch(1)
        await clock.sleepers(2)
        clock.advance(by: .seconds(1))
        #expect(await actions.next() == 101)
        clock.advance(by: .seconds(1))
        await done.wait()
        #expect(store.state == 3, "the later one was dropped")
    }

    @Test func `what waits for its turn goes with the middleware`() async {
        let (store, shared) = store { [clock] action in
            Work.just(action + 100).throttle(id: "t", for: .seconds(5), clock: clock)
        }
        store.dispatch(1)
        await clock.sleepers(1)
        store.dispatch(2)
        #expect(shared.value.runningEffects == 1)
        shared.value.cancelEffects()
        #expect(shared.value.runningEffects == 0)
        await clock.sleepers(0)
        #expect(store.activity.isIdle)
    }

    @Test func `a timer ticks at each interval, in the background, until it is cancelled`() async {
        let (store, shared) = store { [clock] action in
            action == 1 ? Work.timer(token: "t", every: .seconds(1), clock: clock) { 100 } : .cancel("t")
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        #expect(store.activity.isIdle)
        #expect(shared.value.runningEffects == 1)
        for _ in 1...3 {
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            #expect(await actions.next() == 100)
        }
        await clock.sleepers(1)
        store.dispatch(2)
        await clock.sleepers(0)
        #expect(shared.value.runningEffects == 0)
        #expect(store.state == 5)
    }

    @Test func `a timer makes up for missed moments by a single tick`() async {
        let (store, _) = store { [clock] _ in .timer(every: .seconds(1), clock: clock) { 100 } }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(10))
        #expect(await actions.next() == 100)
        #expect(await actions.next() == 100, "the moment that has just passed")
        await clock.sleepers(1)
        #expect(store.state == 3)
    }

    /// A clock on which nobody can wait.
    private struct Broken: Clock {
        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            throw CancellationError()
        }
    }

    @Test func `on a clock that cannot wait an effect ends unstarted`() async {
        let done = Signal()
        let (store, shared) = store { _ in Work.just(100).delay(for: .seconds(1), clock: Broken()) }
        store.activity.onIdle { done.fire() }
        store.dispatch(1)
        await done.wait()
        #expect(store.state == 1)
        #expect(shared.value.runningEffects == 0)
    }

    @Test(arguments: [true, false])
    func `an interval is forgotten when the effects are cancelled or asked to end`(isCancelled: Bool) {
        let (store, shared) = store { [clock] action in
            Work.just(action + 100).throttle(id: "t", for: .seconds(5), clock: clock, latest: false)
        }
        store.dispatch(1)
        store.dispatch(2)
        #expect(store.state == 3, "the second effect was dropped")
        if isCancelled { shared.value.cancelEffects() } else { shared.value.stopEffects() }
        store.dispatch(3)
        #expect(store.state == 5)
    }

    @Test func `every kind of effect that waits is done when its time has come`() async {
        let kept = Kept<EffectOutput<Int>>()
        let (store, shared) = store { [clock] action in
            switch action {
            case 1: .start(token: "t") { _, output in kept.value = output }
            case 2: .sequence(100, 101).delay(for: .seconds(1), clock: clock)
            case 3: .just { _ in 102 }.delay(for: .seconds(1), clock: clock)
            default: .cancel("t").delay(for: .seconds(1), clock: clock)
            }
        }
        var actions = reduced.stream.makeAsyncIterator()
        let done = Signal()
        for action in 1...3 { store.dispatch(action) }
        await clock.sleepers(2)
        clock.advance(by: .seconds(1))
        var seen: [Int] = []
        while seen.count < 3, let action = await actions.next() { seen.append(action) }
        #expect(seen.filter { $0 < 102 } == [100, 101])
        #expect(seen.contains(102))
        #expect(kept.value?.isCancelled == false)
        store.activity.onIdle { done.fire() }
        store.dispatch(4)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        await done.wait()
        #expect(kept.value?.isCancelled == true)
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `the moments of a timer stay where they were although a tick comes late`() async {
        let (clock, trace) = (clock, trace)
        let (store, _) = store { _ in
            Work.timer(token: "t", every: .seconds(1), clock: clock) {
                trace.add("tick \(clock.now.offset)")
                // While this one is made, the next moment passes by half a second.
                if trace.lines.count == 1 { clock.advance(by: .milliseconds(1_500)) }
                return 101
            }
        }
        var actions = reduced.stream.makeAsyncIterator()
        store.dispatch(1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        for _ in 0..<2 { #expect(await actions.next() == 101) }
        await clock.sleepers(1)
        #expect(trace.lines == ["tick 1.0 seconds", "tick 2.5 seconds"])
        #expect(clock.nextDeadline?.offset == .seconds(3))
    }
}
