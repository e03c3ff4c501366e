// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoreLifetimeTests {
    /// What a store should let go of.
    private final class Canary: Sendable {
        let died: Trace
        init(_ died: Trace) { self.died = died }
        deinit { died.add("gone") }
    }

    /// A middleware that holds a canary and answers 1 with 2.
    private func middleware(_ died: Trace) -> AnyMiddleware<Int, Int, Int> {
        let canary = Canary(died)
        return AnyMiddleware { action, _, _ in
            action == 1
                ? IO { output in withExtendedLifetime(canary) { output.dispatch(2) } } : .pure()
        }
    }

    /// Puts a middleware in a store, uses it and lets the store go.
    private func useUp(_ middleware: sending AnyMiddleware<Int, Int, Int>) {
        let store = Store<Int, Int>(initialState: 0, reducer: .adding, middleware: middleware)
        store.dispatch(1)
        #expect(store.state == 3)
    }

    @Test func `a released store lets go of its middleware`() {
        let died = Trace()
        useUp(middleware(died))
        #expect(died.lines == ["gone"])
    }

    @Test func `a released store lets go of a gated middleware`() {
        let died = Trace()
        useUp(middleware(died).gated(stateMap: { _ in true }).eraseToAnyMiddleware())
        #expect(died.lines == ["gone"])
    }

    @Test func `a released store lets go of a lifted, gated, composed middleware`() {
        let died = Trace()
        func make() -> AnyMiddleware<Int, Int, Int> {
            let lifted = middleware(died).lift(
                inputAction: { (action: Int) in action }, outputAction: { $0 },
                state: { (state: Int) in state })
            let gated = lifted.gated(controlActionMap: { _ in Bool?.none }, default: .active)
            return (gated <> Probe(name: "a", trace: Trace())).eraseToAnyMiddleware()
        }
        useUp(make())
        #expect(died.lines == ["gone"])
    }

    @Test func `a released store lets go of an effect middleware that has work running`() {
        let died = Trace()
        let trace = Trace()
        let canary = Canary(died)
        func make() -> AnyMiddleware<Int, Int, Int> {
            EffectMiddleware<Int, Int, Int, Canary>(dependencies: canary) { action, _, _ in
                guard action == 1 else { return .doNothing }
                return .start { _, output in
                    output.onCancel { trace.add("stopped") }
                    output.send(2)
                    withExtendedLifetime(output) { trace.add("running") }
                }
            }.eraseToAnyMiddleware()
        }
        useUp(make())
        #expect(trace.lines == ["running"], "an effect whose output went is over and is not stopped")
        _ = consume canary
        #expect(died.lines == ["gone"])
    }

    @Test func `releasing the store cancels effects`() {
        let trace = Trace()
        let kept = Kept<EffectOutput<Int>>()
        do {
            let store = Store<Int, Int>(
                initialState: 0, reducer: .adding,
                middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { _, _, _ in
                    .start { _, output in
                        output.onCancel { trace.add("stopped") }
                        kept.value = output
                    }
                })
            store.dispatch(1)
            #expect(trace.lines == [])
        }
        #expect(trace.lines == ["stopped"])
        #expect(kept.value?.isCancelled == true)
    }

    @Test func `a released store lets go of its observers before it cancels effects`() {
        let trace = Trace()
        let kept = Kept<EffectOutput<Int>>()
        var store: Store<Int, Int>? = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { _, _, _ in
                .start { _, output in
                    output.onCancel { trace.add("stopped") }
                    kept.value = output
                }
            })
        func watch() -> Subscription? {
            let canary = Canary(trace)
            return store?.observe(.always) { _ in withExtendedLifetime(canary) {} }
        }
        let subscription = watch()
        store?.dispatch(1)
        store = nil
        #expect(trace.lines == ["gone", "stopped"])
        subscription?.cancel()
    }

    @Test func `outputs after the store is gone are reported with their source`() {
        let trace = Trace()
        let kept = Kept<AnyActionHandler<Int>>()
        do {
            let store = Store<Int, Int>(
                initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
                middleware: AnyMiddleware { _, _, _ in IO { kept.value = $0 } },
                hooks: StoreHooks(onLateAction: { trace.add("late \($0.action) from \($0.dispatcher.file)") })
            )
            store.dispatch(1)
        }
        kept.value?.dispatch(7, from: .named("far"))
        #expect(trace.lines == ["reduce 1", "late 7 from far"])
    }

    @Test func `a store released in its own drain finishes what is queued`() {
        let trace = Trace()
        let kept = Kept<Store<Int, Int>>()
        kept.value = Store<Int, Int>(
            initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
            middleware: Probe(name: "a", trace: Trace()) { action in
                kept.value = nil
                return action == 1 ? [2] : []
            })
        kept.value?.dispatch(1)
        #expect(trace.lines == ["reduce 1"] || trace.lines == ["reduce 1", "reduce 2"])
    }

    @Test func `a subscription may outlive its store`() {
        var store: Store<Int, Int>? = Store(initialState: 0, reducer: .adding)
        let subscription = store?.observe(.always) { _ in }
        store = nil
        subscription?.cancel()
        #expect(store == nil)
    }

    @Test func `a released store lets go of its observers`() {
        let died = Trace()
        var store: Store<Int, Int>? = Store(initialState: 0, reducer: .adding)
        func watch() -> Subscription? {
            let canary = Canary(died)
            return store?.observe(.always) { _ in withExtendedLifetime(canary) {} }
        }
        let subscription = watch()
        store?.dispatch(1)
        #expect(died.lines == [])
        store = nil
        #expect(died.lines == ["gone"])
        subscription?.cancel()
    }
}
