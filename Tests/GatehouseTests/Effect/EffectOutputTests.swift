// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// Effects that answer first and then watch for ever.
@Suite(.timeLimit(.minutes(10)))
struct EffectOutputTests {
    private let kept = Kept<EffectOutput<Int>>()
    private let trace = Trace()
    private let store: Store<Int, Int>

    init() {
        store = Store(
            initialState: 0, reducer: .adding,
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { [kept] action, _, _ in
                action == 1 ? .start(token: "t") { _, output in kept.value = output } : .doNothing
            })
        store.activity.onIdle { [trace] in trace.add("idle") }
        store.dispatch(1)
    }

    @Test func `an effect that continues in the background does not hold a run open and still emits`() {
        #expect(!store.activity.isIdle)
        kept.value?.send(2)
        kept.value?.continueInBackground()
        #expect(store.activity.isIdle)
        #expect(store.activity.running == 1)
        #expect(trace.lines == ["idle"])
        kept.value?.send(4)
        #expect(store.state == 7)
    }

    @Test func `an effect in the background is silent until it emits or ends`() {
        kept.value?.continueInBackground()
        #expect(store.activity.silent == 1)
        kept.value?.finish()
        #expect(store.activity.silent == 0)
        store.dispatch(1)
        kept.value?.continueInBackground()
        #expect(store.activity.silent == 1)
        for _ in 0..<2 { kept.value?.send(2) }
        #expect(store.activity.silent == 0)
        kept.value?.finish()
        #expect(store.activity.silent == 0)
    }

    @Test func `an effect in the background that is to be forgotten is not silent`() {
        let outputs = Kept<[EffectOutput<Int>]>()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                let effect = Effect<Void, Int>.start { _, output in
                    outputs.value = (outputs.value ?? []) + [output]
                }.inBackground
                return action == 1 ? effect : effect.recovering(.forget)
            })
        store.dispatch(1)
        store.dispatch(2)
        #expect(store.activity.running == 2)
        #expect(store.activity.silent == 1)
        outputs.value = nil
        #expect(store.activity.silent == 0)
    }

    @Test func `an effect in the background that has a last action is not silent`() {
        kept.value?.continueInBackground()
        #expect(store.activity.silent == 1)
        for _ in 0..<2 { kept.value?.onStopping { $0.send(2) } }
        #expect(store.activity.silent == 0)
        kept.value?.finish()
        #expect(store.activity.silent == 0)
    }

    @Test func `a last action of an effect in the foreground changes no count of silent ones`() {
        kept.value?.onStopping { $0.send(2) }
        #expect(store.activity.silent == 0)
        kept.value?.continueInBackground()
        #expect(store.activity.silent == 0)
    }

    @Test func `continuing twice is continuing once`() {
        for _ in 0..<2 { kept.value?.continueInBackground() }
        #expect(store.activity.running == 1)
        kept.value?.finish()
        #expect(store.activity.running == 0)
        #expect(trace.lines == ["idle"])
    }

    @Test func `what has ended does not continue`() {
        kept.value?.finish()
        kept.value?.continueInBackground()
        #expect(store.activity.running == 0)
    }

    @Test func `it is cancelled by its token like any other`() {
        kept.value?.continueInBackground()
        kept.value?.onCancel { [trace] in trace.add("stopped") }
        store.dispatch(1)
        #expect(trace.lines == ["idle", "stopped"])
        #expect(store.activity.running == 1)
        #expect(!store.activity.isIdle)
    }

    @Test func `everything that stops an effect is called when it is cancelled, in its order, and once`() {
        for number in 1...3 { kept.value?.onCancel { [trace] in trace.add("stop \(number)") } }
        let cancelled = kept.value
        store.dispatch(1)
        #expect(trace.lines == ["stop 1", "stop 2", "stop 3"])
        cancelled?.onCancel { [trace] in trace.add("late") }
        #expect(trace.lines == ["stop 1", "stop 2", "stop 3", "late"])
        kept.value?.onCancel { [trace] in trace.add("never") }
        kept.value?.finish()
        #expect(trace.lines.last == "idle")
    }

    @Test func `a cancelled effect that says itself what stops it has its task cancelled too`() async {
        let trace = trace
        let (begun, ended) = (Signal(), Signal())
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                guard action == 1 else { return .cancel("t") }
                return .run(token: "t") { output in
                    output.onCancel { trace.add("stopped") }
                    begun.fire()
                    // Ends only with its task.
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    ended.fire()
                }
            })
        store.dispatch(1)
        await begun.wait()
        store.dispatch(2)
        await ended.wait()
        #expect(trace.lines == ["stopped"])
    }

    @Test func `a run is over only when what was sent before has been processed`() {
        let trace = trace
        let subscription = store.observe { trace.add("state \($0)") }
        kept.value?.send(2)
        kept.value?.continueInBackground()
        #expect(trace.lines == ["state 3", "idle"])
        subscription.cancel()
    }
}
