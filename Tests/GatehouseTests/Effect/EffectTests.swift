// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(5)))
struct EffectTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>
    typealias Work = Effect<Void, Int>

    private let trace = Trace()

    /// A store that writes down what it reduces, with the source, and answers small actions by the effect.
    private func store(
        hooks: StoreHooks<Int> = StoreHooks(), _ effect: @escaping @Sendable (Int) -> Work
    ) -> (Store<Int, Int>, UnsafeShare<Middleware>) {
        let trace = trace
        let shared = UnsafeShare(
            Middleware.onAction { action, _, _ in action < 100 ? effect(action) : .doNothing })
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: .reduce { action, _ in if action >= 100 { trace.add("\(action)") } },
            middleware: Forward(shared), hooks: hooks)
        return (store, shared)
    }

    @Test func `doNothing does nothing`() {
        #expect(!Work.doNothing.doesSomething)
        #expect(Work.just(1).doesSomething)
        let (store, shared) = store { _ in .doNothing }
        store.dispatch(1)
        #expect(trace.lines == [])
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `just and sequence emit in order, with the place of the call or the given source`() {
        let sources = Trace()
        func run(_ effect: @escaping @Sendable () -> Work) {
            Middleware.onAction { _, _, _ in effect() }
                .handle(action: 1, from: .named("in"), state: GetState { 0 })
                .run { sources.add("\($0.action) \($0.dispatcher.file) \($0.dispatcher.line)") }
        }
        run { .just(1, file: "f", line: 3) }
        run { .just(2, from: .named("given")) }
        run { .sequence(3, 4, file: "f", line: 4) }
        run { .sequence([5, 6], from: .named("given")) }
        #expect(sources.lines == ["1 f 3", "2 given 1", "3 f 4", "4 f 4", "5 given 1", "6 given 1"])
        run { .just(7, from: .named("one")) <> .sequence(8, 9, from: .named("other")) }
        #expect(sources.lines.suffix(3) == ["7 one 1", "8 other 1", "9 other 1"])
    }

    @Test func `an empty sequence emits nothing, and is over`() {
        let (store, shared) = store { $0 == 1 ? .sequence([]) : Work.sequence([]).append(100) }
        store.dispatch(1)
        #expect(trace.lines == [])
        #expect(shared.value.runningEffects == 0)
        store.dispatch(2)
        #expect(trace.lines == ["100"])
    }

    @Test func `how an effect is recovered, and what it means to a run, stays whatever else is said of it`() {
        let told = Work.just(1).recovering(.tell)
        let changed: [Work] = [
            told.inBackground, told.finishing, told.delay(for: .seconds(1)),
            told.debounce("d", for: .seconds(1)),
            told.throttle(id: "t", for: .seconds(1)), told.throttle(id: "t", for: .seconds(1), latest: false),
            told.map(\.self), told.ignoringDependencies(),
        ]
        #expect(changed.map(\.recovery) == Array(repeating: .tell, count: 8))
        #expect(told.kind == .foreground)
        #expect(told.inBackground.finishing.kind == .background)
        #expect(told.finishing.recovering(.again).kind == .finishing)
        let join = (told.inBackground <> .just(2)).finishing.recovering(.forget)
        #expect(join.parts.map(\.kind) == [.background, .finishing])
        #expect(join.parts.map(\.recovery) == [.forget, .forget])
    }

    @Test func `finished effects are pruned, with or without token, finished at once or later`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, shared) = store { action in
            switch action {
            case 1: .start { _, output in output.finish() }
            case 2: .start(token: "t") { _, output in output.finish() }
            case 3: .start { _, _ in }
            case 4: .fireAndForget { _ in }
            case 5: .promise(token: "p") { $0(100) }
            default: .start(token: "t") { _, output in kept.value = output }
            }
        }
        for action in 1...5 {
            store.dispatch(action)
            #expect(shared.value.runningEffects == 0, "after action \(action)")
        }
        store.dispatch(6)
        #expect(shared.value.runningEffects == 1)
        kept.value?.finish()
        #expect(shared.value.runningEffects == 0)
        #expect(store.activity.running == 0)
    }

    @Test func `an effect is over when nobody holds its output`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, shared) = store { _ in .start { _, output in kept.value = output } }
        store.dispatch(1)
        #expect(shared.value.runningEffects == 1)
        kept.value = nil
        #expect(shared.value.runningEffects == 0)
        #expect(store.activity.isIdle)
    }

    @Test func `same-token effect: cancel the old, then start the new`() {
        let (trace, kept) = (trace, [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()])
        let (store, shared) = store { action in
            .start(token: "t") { _, output in
                trace.add("start \(action)")
                output.onCancel { trace.add("stop \(action)") }
                kept[action].value = output
            }
        }
        store.dispatch(0)
        store.dispatch(1)
        #expect(trace.lines == ["start 0", "stop 0", "start 1"])
        kept[0].value?.send(100)
        kept[0].value?.finish()
        kept[1].value?.send(101)
        #expect(trace.lines.suffix(1) == ["101"])
        #expect(shared.value.runningEffects == 1, "the end of the old one leaves its successor")
    }

    @Test func `token of promise honoured`() {
        let (trace, answers) = (trace, Kept<@Sendable (Int) -> Void>())
        let (store, shared) = store { action in
            action == 1 ? .promise(token: "p") { answers.value = $0 } : .cancel("p")
        }
        store.dispatch(1)
        #expect(shared.value.runningEffects == 1)
        store.dispatch(2)
        #expect(shared.value.runningEffects == 0)
        answers.value?(100)
        #expect(trace.lines == [])
    }

    @Test func `a promise answers once`() {
        let answers = Kept<@Sendable (Int) -> Void>()
        let (store, shared) = store { _ in .promise { answers.value = $0 } }
        store.dispatch(1)
        answers.value?(100)
        answers.value?(101)
        #expect(trace.lines == ["100"])
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `a promise whose callback is dropped ends its effect`() {
        let answers = Kept<@Sendable (Int) -> Void>()
        let (store, shared) = store { action in
            action == 1 ? .promise { answers.value = $0 } : .promise { _ in }
        }
        store.dispatch(1)
        store.dispatch(2)
        #expect(shared.value.runningEffects == 1)
        answers.value = nil
        #expect(shared.value.runningEffects == 0)
        #expect(store.activity.isIdle)
    }

    @Test func `cancelling an unknown token does nothing`() {
        let (store, _) = store { _ in .cancel("unknown") }
        store.dispatch(1)
        #expect(store.activity.isIdle)
    }

    @Test func `an effect that cancels itself while it starts is stopped`() {
        let trace = trace
        let shared = UnsafeShare(
            Middleware.onAction { _, _, context in
                let cancel = context.toCancel
                return .start(token: "own") { _, output in
                    cancel.now("own")
                    trace.add("cancelled \(output.isCancelled)")
                    output.onCancel { trace.add("stop") }
                    output.send(100)
                }
            })
        let store = Store<Int, Int>(initialState: 0, reducer: .adding, middleware: Forward(shared))
        store.dispatch(1)
        #expect(trace.lines == ["cancelled true", "stop"])
        #expect(store.state == 1)
        #expect(shared.value.runningEffects == 0)
        #expect(store.activity.isIdle)
    }

    @Test func `what is sent after the end is dropped, what was sent before is delivered`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, _) = store { _ in .start { _, output in kept.value = output } }
        store.dispatch(1)
        #expect(store.drain.enter(StoreThread.current &+ 1))
        kept.value?.send(100)
        kept.value?.finish()
        kept.value?.send(101)
        store.drain.leave()
        store.drain.drainIfIdle()
        #expect(trace.lines == ["100"])
        #expect(kept.value?.isCancelled == false)
    }

    @Test func `what was sent before a cancellation and is still queued is dropped`() {
        let kept = Kept<EffectOutput<Int>>()
        let (store, shared) = store { _ in .start { _, output in kept.value = output } }
        store.dispatch(1)
        #expect(store.drain.enter(StoreThread.current &+ 1))
        kept.value?.send(100)
        shared.value.cancelEffects()
        store.drain.leave()
        store.drain.drainIfIdle()
        #expect(trace.lines == [])
    }

    @Test func `a stop closure that holds its own output does not lock itself up`() {
        let trace = trace
        let handle = Kept<EffectOutput<Int>>()
        let (store, shared) = store { _ in
            .start { _, output in
                let holder = Holder(output)
                output.onCancel { withExtendedLifetime(holder) { trace.add("stop") } }
                handle.value = output
            }
        }
        store.dispatch(1)
        handle.value?.finish()
        handle.value = nil
        #expect(shared.value.runningEffects == 0)
        #expect(trace.lines == [])
    }

    @Test func `task gives an action, run gives several, with sources`() async {
        let done = Signal()
        let (store, shared) = store { action in
            action == 1 ? .task { 100 } : .run { output in for value in 101...103 { output.send(value) } }
        }
        store.activity.onIdle { done.fire() }
        store.dispatch(1)
        await done.wait()
        #expect(trace.lines == ["100"])
        store.dispatch(2)
        await done.wait()
        #expect(trace.lines == ["100", "101", "102", "103"])
        #expect(shared.value.runningEffects == 0)
    }

    @Test
    func `a function runs beside the drain, and its effect is over with it although the output is kept`()
        async
    {
        let trace = trace
        let kept = Kept<EffectOutput<Int>>()
        let (done, own) = (Signal(), Weak<Store<Int, Int>>())
        let (store, shared) = store { _ in
            .run { output in
                kept.value = output
                trace.add("in the drain: \(own.value?.drain.isCurrent ?? true)")
            }
        }
        own.value = store
        store.activity.onIdle { done.fire() }
        store.dispatch(1)
        await done.wait()
        #expect(shared.value.runningEffects == 0)
        kept.value?.send(100)
        #expect(trace.lines == ["in the drain: false"])
    }

    @Test func `a task that gives nil emits nothing`() async {
        let done = Signal()
        let (store, _) = store { _ in .task { nil } }
        store.activity.onIdle { done.fire() }
        store.dispatch(1)
        await done.wait()
        #expect(trace.lines == [])
    }

    @Test func `cancelling an effect cancels its task`() async {
        let (started, stopped) = (Signal(), Signal())
        let (store, _) = store { action in
            action == 1
                ? .run(token: "t") { _ in
                    await withTaskCancellationHandler {
                        started.fire()
                        await Signal().wait()
                    } onCancel: {
                        stopped.fire()
                    }
                } : .cancel("t")
        }
        store.dispatch(1)
        await started.wait()
        store.dispatch(2)
        await stopped.wait()
        #expect(store.activity.isIdle)
    }
}

/// Holds an output strongly.
private final class Holder: Sendable {
    let output: EffectOutput<Int>

    init(_ output: EffectOutput<Int>) {
        self.output = output
    }
}
