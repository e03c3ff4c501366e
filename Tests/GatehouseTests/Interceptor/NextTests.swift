// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NextTests {
    private let trace = Trace()
    private let kept = Kept<Next<Int>>()

    /// A store with an interceptor `a`, one that does with actions below 10 what it is told, and `c` after it.
    private func store(
        hooks: StoreHooks<Int> = StoreHooks(), _ decide: @escaping @Sendable (Int) -> Guard.Decision
    ) -> Store<Int, Int> {
        let trace = trace
        return Guard.store(
            [
                Guard(name: "a", trace: trace).eraseToAnyInterceptor(),
                Guard(name: "b", trace: trace, kept: kept, decide: { $0 < 10 ? decide($0) : .pass })
                    .eraseToAnyInterceptor(),
                Guard(name: "c", trace: trace).eraseToAnyInterceptor(),
            ], middleware: [Probe(name: "m", trace: trace)], trace: trace, hooks: hooks)
    }

    /// What an action leaves behind that starts after `b`.
    private func passage(_ action: Int, from state: Int) -> [String] {
        [
            "c before \(action) (\(state))", "m handle \(action) (\(state))", "reduce \(action)",
            "c after \(action) (\(state + action))", "m io \(action) (\(state + action))",
        ]
    }

    @Test
    func `called twice it reduces twice, the second time in its turn and after the interceptors passed`() {
        let store = store { .twice($0 + 10) }
        store.dispatch(1)
        #expect(
            trace.lines == [
                "a before 1 (0)", "b before 1 (0)", "c before 1 (0)", "m handle 1 (0)", "reduce 1",
                "c after 1 (1)",
                "b after 1 (1)", "a after 1 (1)", "m io 1 (1)",
            ] + passage(11, from: 1))
        #expect(store.state == 12)
    }

    @Test func `called late it starts after the interceptors already passed`() {
        let store = store { _ in .keep }
        store.dispatch(1)
        #expect(trace.lines == ["a before 1 (0)", "b before 1 (0)", "b after 1 (0)", "a after 1 (0)"])
        kept.value?()
        #expect(Array(trace.lines.dropFirst(4)) == passage(1, from: 0))
        #expect(store.state == 1)
    }

    @Test func `called late with another action it passes that one`() {
        let store = store { _ in .keep }
        store.dispatch(1)
        kept.value?(50)
        #expect(Array(trace.lines.dropFirst(4)) == passage(50, from: 0))
        #expect(store.state == 50)
    }

    @Test func `called late it may be called again, each call reduces`() {
        let store = store { _ in .keep }
        store.dispatch(1)
        for _ in 0..<3 { kept.value?() }
        #expect(store.state == 3)
    }

    @Test func `called late from another thread the action goes on in the drain`() {
        let store = store { _ in .keep }
        store.dispatch(1)
        let next = kept.value
        Threads.start { next?(20) }.wait()
        #expect(store.state == 20)
        #expect(Array(trace.lines.dropFirst(4)) == passage(20, from: 0))
    }

    @Test func `many threads may call it at once, and no call is lost`() {
        let store = store { _ in .keep }
        store.dispatch(1)
        let next = kept.value
        Threads.run(4) { _ in for _ in 0..<250 { next?() } }
        #expect(store.state == 1000)
    }

    @Test func `a call from another thread inside intercept waits for its turn`() {
        let trace = trace
        let threaded = AnyInterceptor<Int, Int> { action, _, state, _, next in
            trace.add("before \(action) (\(state()))")
            Threads.start { next(action + 10) }.wait()
            trace.add("still (\(state()))")
            next()
            trace.add("after (\(state()))")
        }
        let store = Guard.store([threaded], middleware: [], trace: trace)
        store.dispatch(1)
        #expect(trace.lines == ["before 1 (0)", "still (0)", "reduce 1", "after (1)", "reduce 11"])
    }

    @Test func `a late call from inside the drain joins the end of the queue`() {
        let kept = kept
        let store = store { _ in .keep }
        store.dispatch(1)
        let trace = trace
        let subscription = store.observe { [kept] state in
            trace.add("observed \(state)")
            if state == 10 { kept.value?() }
        }
        store.dispatch(10)
        #expect(
            Array(trace.lines.suffix(6)) == [
                "c before 1 (10)", "m handle 1 (10)", "reduce 1", "observed 11", "c after 1 (11)",
                "m io 1 (11)",
            ])
        withExtendedLifetime(subscription) {}
    }

    @Test func `late calls that answer one another inside the drain are cut like outputs`() {
        let loops = Kept<DispatchLoop<Int>>()
        let kept = kept
        let trace = trace
        let delaying = AnyInterceptor<Int, Int> { _, _, _, _, next in kept.value = next }
        let store = Guard.store(
            [delaying], middleware: [], trace: trace, hooks: StoreHooks(onLoop: { loops.value = $0 }),
            limits: DrainLimits(chain: 50))
        let subscription = store.observe { _ in kept.value?() }
        store.dispatch(7)
        kept.value?()
        #expect(loops.value?.limit == 50)
        #expect(loops.value?.recent.last?.action == 7)
        #expect(trace.lines.count == 51)
        withExtendedLifetime(subscription) {}
    }

    @Test func `after the store is gone the action is reported, with its source`() {
        let late = Kept<DispatchedAction<Int>>()
        var store: Store<Int, Int>? = store(hooks: StoreHooks(onLateAction: { late.value = $0 })) { _ in .keep
        }
        store?.dispatch(1, from: .named("input"))
        store = nil
        kept.value?()
        #expect(late.value == DispatchedAction(1, dispatcher: .named("input")))
        kept.value?(2)
        #expect(late.value == DispatchedAction(2, dispatcher: .named("input")))
        #expect(trace.lines.dropFirst(4) == ["m cancelled"])
    }

    @Test func `after the store is gone the action is reported as one further out has changed it`() {
        let late = Kept<DispatchedAction<Int>>()
        var store: Store<Int, Int>? = Guard.store(
            [
                Guard(name: "a", trace: trace, decide: { .change($0 + 40) }).eraseToAnyInterceptor(),
                Guard(name: "b", trace: trace, kept: kept, decide: { _ in .keep }).eraseToAnyInterceptor(),
            ], middleware: [], trace: trace, hooks: StoreHooks(onLateAction: { late.value = $0 }))
        store?.dispatch(1, from: .named("input"))
        store = nil
        kept.value?()
        #expect(late.value == DispatchedAction(41, dispatcher: .named("input")))
        kept.value?(2)
        #expect(late.value == DispatchedAction(2, dispatcher: .named("input")))
    }

    /// Keeps the `next` it was given last, and so what comes after itself.
    private final class Keeper: InterceptorProtocol {
        var next: Next<Int>?

        func intercept(
            action: Int, from dispatcher: ActionSource, state: OwnState<Int, Int>,
            output: AnyActionHandler<Int>, next: Next<Int>
        ) { self.next = next }
    }

    @Test func `an interceptor that keeps a next goes with its store`() {
        weak var gone: Keeper?
        do {
            let keeper = Keeper()
            gone = keeper
            let store = Guard.store([AnyInterceptor(keeper)], middleware: [], trace: trace)
            store.dispatch(1)
            #expect(gone?.next != nil)
            withExtendedLifetime(store) {}
        }
        #expect(gone == nil)
    }

    @Test func `a second pass that a later one stops does not do again what the first one is answered by`() {
        let store = Guard.store(
            [
                Guard(name: "a", trace: trace, decide: { .twice($0 + 10) }).eraseToAnyInterceptor(),
                Guard(name: "b", trace: trace, decide: { $0 > 10 ? .stop : .pass }).eraseToAnyInterceptor(),
            ], middleware: [Probe(name: "m", trace: trace)], trace: trace)
        store.dispatch(1)
        #expect(trace.lines.suffix(3) == ["m io 1 (1)", "b before 11 (1)", "b after 11 (1)"])
        #expect(trace.lines.filter { $0.hasPrefix("m io") } == ["m io 1 (1)"])
    }

    @Test func `what the answer to an action holds is let go of, although a next of the action is kept`() {
        let kept = kept
        weak var held: Trace?
        let answering = UnsafeShare(
            AnyMiddleware<Int, Int, Int> { _, _, _ in
                let line = Trace()
                held = line
                return IO { _ in line.add("done") }
            })
        let keeping = UnsafeShare(
            AnyInterceptor<Int, Int> { _, _, _, _, next in
                next()
                kept.value = next
            })
        let store = Store(
            StoreParts<Int, Int>(
                initialState: 0, reducer: .adding, middleware: answering.value,
                interceptors: [keeping.value]))
        store.dispatch(1)
        #expect(kept.value != nil)
        #expect(held == nil)
        withExtendedLifetime(store) {}
    }

    // MARK: - Keeping a run open

    @Test func `kept as it is, it does not keep a run open`() {
        let store = store { _ in .keep }
        store.dispatch(1)
        #expect(store.activity.isIdle)
    }

    @Test func `kept holding the run, it keeps it open until what follows has been processed`() {
        let kept = kept
        let delaying = AnyInterceptor<Int, Int> { action, _, _, _, next in
            if action == 4 { kept.value = next.holdingRun() } else { next() }
        }
        let store = Guard.store(
            [delaying], middleware: [Probe(name: "m", trace: trace) { $0 < 6 ? [$0 + 1] : [] }], trace: trace)
        let states = Kept<Int>()
        store.activity.onIdle { [unowned store] in states.value = store.state }
        store.dispatch(4)
        #expect(!store.activity.isIdle)
        let next = kept.value
        Threads.start { next?() }.wait()
        #expect(states.value == 4 + 5 + 6)
        #expect(store.activity.isIdle)
        next?()
        #expect(store.activity.isIdle)
        #expect(store.activity.running == 0)
    }

    @Test func `kept holding the run and called in the drain, it lets the run end`() {
        let kept = kept
        let delaying = AnyInterceptor<Int, Int> { action, _, _, _, next in
            if action == 4 { kept.value = next.holdingRun() } else { next() }
        }
        let store = Guard.store([delaying], middleware: [], trace: trace)
        let subscription = store.observe { if $0 == 1 { kept.value?() } }
        store.dispatch(4)
        #expect(!store.activity.isIdle)
        store.dispatch(1)
        #expect(store.state == 5)
        #expect(store.activity.isIdle)
        withExtendedLifetime(subscription) {}
    }

    @Test func `released without a call, it lets the run end`() {
        let kept = kept
        let delaying = AnyInterceptor<Int, Int> { _, _, _, _, next in kept.value = next.holdingRun() }
        let store = Guard.store([delaying], middleware: [], trace: trace)
        store.dispatch(4)
        #expect(!store.activity.isIdle)
        kept.value = nil
        #expect(store.activity.isIdle)
    }

    @Test func `a next of one's own calls its closure, as often as it is called`() {
        let trace = trace
        let next = Next<Int> { trace.add($0.map { "\($0)" } ?? "as it came") }
        next()
        next(3)
        next.holdingRun()()
        #expect(trace.lines == ["as it came", "3", "as it came"])
    }
}
