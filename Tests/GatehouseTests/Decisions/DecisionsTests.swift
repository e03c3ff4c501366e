// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// What this library does where its sources disagree, a test for each question, by its name.
///
/// Each goes through a store from end to end. The parts have tests of their own in the folders that mirror the sources.
@Suite("Choices where the sources disagree", .timeLimit(.minutes(5)))
struct DecisionsTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>

    private let trace = Trace()

    /// Writes down what is reduced.
    private var writing: Reducer<Int, Int> {
        let trace = trace
        return .reduce { action, _ in trace.add("reduce \(action)") }
    }

    @Test
    func `re-entrant dispatch: queued, never nested; a chain over the limit is cut with an error naming it`()
    {
        let (trace, loops, late) = (trace, Trace(), Kept<AnyActionHandler<Int>>())
        let store = Store<Int, Int>(
            initialState: 0, reducer: writing,
            middleware: AnyMiddleware { action, _, _ in
                IO { output in
                    late.value = output
                    trace.add("begin \(action)")
                    if action < 3 { output.dispatch(action + 1, from: .named("chain")) }
                    if action >= 10 { output.dispatch(action == 10 ? 11 : 10, from: .named("ping")) }
                    trace.add("end \(action)")
                }
            }, hooks: StoreHooks(onLoop: { loops.add($0.description) }))
        store.dispatch(1)
        #expect(
            trace.lines == (1...3).flatMap { ["reduce \($0)", "begin \($0)", "end \($0)"] },
            "each ends before the next begins")
        let before = trace.lines.count
        store.dispatch(10)
        #expect((trace.lines.count - before) / 3 == 1001, "the input and a thousand outputs")
        #expect(loops.lines.count == 1)
        #expect(
            loops.lines.first?.hasPrefix(
                "dispatch of 10 ("
            )
                == true)
        #expect(
            loops.lines.first?.contains(
                "): expected at most 1000 outputs, each in answer to the one before, found 1 more, which was dropped: "
                    + "11 (ping:1), 10 (ping:1), ") == true)
        #expect(
            loops.lines.first?.hasSuffix(
                "10 (ping:1), 11 (ping:1); look for the middlewares that answer each other") == true)
        // An asynchronous output starts at 0: another thousand pass.
        late.value?.dispatch(10)
        #expect(loops.lines.count == 2)
        #expect((trace.lines.count - before) / 3 == 2002)
    }

    @Test func `order after the reducer: last to first in every composition, also for effect middlewares`() {
        let trace = trace
        func effect(_ name: String) -> Middleware {
            .onAction { _, _, _ in
                trace.add(name)
                return .doNothing
            }
        }
        let join: Middleware = effect("c") <> effect("d")
        let inner = Probe(name: "a", trace: Trace()) <> effect("b")
        let reader = MiddlewareReader<Void, AnyMiddleware<Int, Int, Int>> {
            effect("f").eraseToAnyMiddleware()
        }
        let all =
            inner <> join <> effect("e").gated(stateMap: { _ in true }) <> reader.inject(())
            <> effect("g").lift(state: { (state: Int) in state })
        let store = Store<Int, Int>(initialState: 0, reducer: writing, middleware: UnsafeShare(all).value)
        store.dispatch(1)
        #expect(trace.lines == ["reduce 1", "g", "f", "e", "d", "c", "b"])
    }

    @Test func `gate check at output: a pure look at the gate as it is, whatever action caused the output`() {
        let handlers = [-1: Kept<AnyActionHandler<Int>>(), -2: Kept<AnyActionHandler<Int>>()]
        let gated = AnyMiddleware<Int, Int, Int> { action, _, _ in IO { handlers[action]?.value = $0 } }
            .gated(controlActionMap: { $0 == -1 ? true : $0 == -2 ? false : nil }, default: .active)
        let status = gated.status
        let store = Store<Int, Int>(
            initialState: 0, reducer: writing,
            middleware: gated.lift(inputAction: { (action: Int) in action < 0 ? action : nil }))
        store.dispatch(-1)
        store.dispatch(-2)
        handlers[-1]?.value?.dispatch(1)
        #expect(status.gate == .bypass, "an output of the opening action does not open")
        store.dispatch(-1)
        handlers[-2]?.value?.dispatch(2)
        #expect(status.gate == .active, "an output of the closing action does not close")
        #expect(trace.lines == ["reduce -1", "reduce -2", "reduce -1", "reduce 2"])
    }

    @Test func `outputs while closed: dropped and counted, not kept for later`() {
        let kept = Kept<AnyActionHandler<Int>>()
        let gated = AnyMiddleware<Int, Int, Int> { _, _, _ in IO { kept.value = $0 } }
            .gated(controlActionMap: { $0 == -1 ? true : $0 == -2 ? false : nil }, default: .active)
        let status = gated.status
        let store = Store<Int, Int>(initialState: 0, reducer: writing, middleware: gated)
        store.dispatch(-2)
        for action in 1...5 { kept.value?.dispatch(action) }
        #expect(status.droppedOutputs == 5)
        store.dispatch(-1)
        kept.value?.dispatch(6)
        #expect(trace.lines == ["reduce -2", "reduce -1", "reduce 6"])
        #expect(status.droppedOutputs == 5)
    }

    @Test(arguments: [GateClosing.keep, .cancel])
    func `work running when a gate closes: kept, or cancelled where onClose says so`(onClose: GateClosing) {
        let kept = Kept<EffectOutput<Int>>()
        let gated = Middleware.onAction { action, _, _ in
            action == 1 ? .start { _, output in kept.value = output } : .doNothing
        }.gated(
            controlActionMap: { $0 == -1 ? true : $0 == -2 ? false : nil }, default: .active, onClose: onClose
        )
        let store = Store<Int, Int>(initialState: 0, reducer: writing, middleware: gated)
        for action in [1, -2] { store.dispatch(action) }
        #expect(kept.value?.isCancelled == (onClose == .cancel))
        #expect(store.activity.running == (onClose == .cancel ? 0 : 1))
        store.dispatch(-1)
        kept.value?.send(7)
        #expect(trace.lines.contains("reduce 7") == (onClose == .keep), "what was kept emits again")
    }

    @Test func `token identity: equality of value and type, not hash value`() {
        let kept = Kept<[EffectOutput<Int>]>()
        kept.value = []
        let tokens: [any Hashable & Sendable] = [1, 1.0, UInt8(1), "1", true]
        let store = Store<Int, Int>(
            initialState: 0, reducer: .identity,
            middleware: Middleware.onAction { action, _, _ in
                action < 10
                    ? .start(token: tokens[action]) { _, output in kept.value?.append(output) } : .cancel(1.0)
            })
        for action in tokens.indices { store.dispatch(action) }
        #expect(store.activity.running == 5, "none replaced another")
        store.dispatch(10)
        #expect(kept.value?.map(\.isCancelled) == [false, true, false, false, false])
    }

    @Test
    func `same-token effect: the old is cancelled, then the new starts; what the old had sent is dropped`() {
        let trace = trace
        let kept = [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()]
        let store = Store<Int, Int>(
            initialState: 0, reducer: writing,
            middleware: Middleware.onAction { action, _, _ in
                guard action < 2 else { return .doNothing }
                return .start(token: "t") { _, output in
                    trace.add("start \(action)")
                    output.onCancel { trace.add("stop \(action)") }
                    kept[action].value = output
                    output.send(10 + action)
                }
            })
        store.dispatch(0)
        store.dispatch(1)
        kept[0].value?.send(20)
        kept[1].value?.send(21)
        #expect(
            trace.lines == [
                "reduce 0", "start 0", "reduce 10", "reduce 1", "stop 0", "start 1", "reduce 11", "reduce 21",
            ])
    }

    @Test func `token of promise: honoured by cancelling, also from the context`() {
        let answers = Kept<@Sendable (Int) -> Void>()
        let store = Store<Int, Int>(
            initialState: 0, reducer: writing,
            middleware: Middleware.onAction { action, _, context in
                action == 1 ? .promise(token: "p") { answers.value = $0 } : context.toCancel("p")
            })
        store.dispatch(1)
        #expect(store.activity.running == 1)
        store.dispatch(2)
        #expect(store.activity.running == 0)
        answers.value?(7)
        #expect(trace.lines == ["reduce 1", "reduce 2"])
    }

    @Test func `finished effects: always pruned, with or without token, by whichever thread they end`() {
        let kept = Kept<[EffectOutput<Int>]>()
        kept.value = []
        let shared = UnsafeShare(
            Middleware.onAction { action, _, _ in
                action % 2 == 0
                    ? .start { _, output in kept.value?.append(output) }
                    : .start(token: action) { _, output in kept.value?.append(output) }
            })
        let store = Store<Int, Int>(initialState: 0, reducer: .identity, middleware: Forward(shared))
        for action in 0..<40 { store.dispatch(action) }
        #expect(shared.value.runningEffects == 40)
        let outputs = kept.value ?? []
        Threads.run(4) { index in for output in outputs[(index * 10)..<(index * 10 + 10)] { output.finish() }
        }
        #expect(shared.value.runningEffects == 0)
        #expect(store.activity.running == 0)
    }

    @Test(arguments: ["always", "never", "when"])
    func `emit policy: filters notifications only, the state is kept and seen by middlewares`(name: String) {
        let trace = trace
        let policy: ShouldEmitValue<Int> =
            switch name {
            case "always": .always
            case "never": .never
            default: .when { _, new in new > 5 }
            }
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: AnyMiddleware { _, _, state in IO { _ in trace.add("sees \(state())") } })
        let subscription = store.observe(policy) { trace.add("told \($0)") }
        for action in [2, 4] { store.dispatch(action) }
        #expect(trace.lines.filter { $0.hasPrefix("sees") } == ["sees 2", "sees 6"])
        #expect(store.state == 6)
        let told = ["always": ["told 2", "told 6"], "never": [], "when": ["told 6"]]
        #expect(trace.lines.filter { $0.hasPrefix("told") } == told[name])
        subscription.cancel()
    }

    @Test
    func `unchanged: said by the reducer; the plain form means changed; states are compared only if asked`() {
        let (trace, compared) = (trace, Counted())
        struct Compared: Equatable {
            var value: Int
            let counted: Counted
            static func == (one: Compared, other: Compared) -> Bool {
                one.counted.add()
                return one.value == other.value
            }
        }
        let store = Store<Int, Compared>(
            initialState: Compared(value: 0, counted: compared),
            reducer: .reducing { action, state in
                state.value = abs(action)
                return action < 0 ? .unchanged : .changed
            })
        let all = store.observe(.always) { trace.add("all \($0.value)") }
        for action in [1, 1, -2] { store.dispatch(action) }
        #expect(
            trace.lines == ["all 1", "all 1"], "changed is told even if equal, unchanged even if not is not")
        #expect(compared.value == 0)
        let picky = store.observe(.whenDifferent) { trace.add("different \($0.value)") }
        for action in [2, 3, -4] { store.dispatch(action) }
        #expect(trace.lines.dropFirst(2) == ["all 2", "all 3", "different 3"])
        #expect(compared.value == 2, "once for each change, not for what is unchanged")
        let plain = Reducer<Int, Int>.reduce { _, _ in }
        var state = 0
        #expect(plain.apply(1, &state) == .changed)
        for subscription in [all, picky] { subscription.cancel() }
    }

    @Test
    func `end of a run: when input and the effects it started are finished; the background does not hold it`()
    {
        let (trace, kept) = (trace, Kept<[EffectOutput<Int>]>())
        kept.value = []
        let store = Store<Int, Int>(
            initialState: 0, reducer: writing,
            middleware: Middleware.onAction { action, _, _ in
                switch action {
                case 1, 2: .start { _, output in kept.value?.append(output) }
                case 3: Effect.start { _, output in kept.value?.append(output) }.inBackground
                default: .doNothing
                }
            })
        store.activity.onIdle { trace.add("end") }
        for action in 1...3 { store.dispatch(action) }
        let outputs = kept.value ?? []
        outputs[0].send(10)
        outputs[0].finish()
        #expect(!store.activity.isIdle)
        outputs[1].send(11)
        outputs[1].finish()
        #expect(store.activity.isIdle)
        #expect(store.activity.running == 1)
        #expect(trace.lines.suffix(3) == ["reduce 10", "reduce 11", "end"])
    }

    @Test func `outputs after the store is gone: counted, told, dropped, from whatever is left of it`() {
        let (trace, handler, output) = (trace, Kept<AnyActionHandler<Int>>(), Kept<EffectOutput<Int>>())
        let activity: Activity
        do {
            let effect = Middleware.onAction { _, _, _ in .start { _, running in output.value = running } }
            let store = Store<Int, Int>(
                initialState: 0, reducer: writing,
                middleware: effect <> AnyMiddleware<Int, Int, Int> { _, _, _ in IO { handler.value = $0 } },
                hooks: StoreHooks(onLateAction: { trace.add("late \($0.action)") }))
            activity = store.activity
            store.dispatch(1)
        }
        output.value?.send(2)
        handler.value?.dispatch(3)
        #expect(
            trace.lines == ["reduce 1", "late 3"],
            "the effect was cancelled, so that its output is no surprise")
        #expect(activity.lateActions == 1)
        #expect(activity.running == 0)
    }

    @Test func `joining compositions: no operand is changed and no member runs twice`() {
        func names(_ middleware: ComposedMiddleware<Int, Int, Int>) -> [String] {
            let before = trace.lines.count
            _ = middleware.handle(action: 1, from: .named("x"), state: GetState { 0 })
            return trace.lines.dropFirst(before).map { String($0.prefix(1)) }
        }
        let parts = ["a", "b", "c", "d"].map { Probe(name: $0, trace: trace).eraseToAnyMiddleware() }
        let left: ComposedMiddleware = parts[0] <> parts[1]
        let right: ComposedMiddleware = parts[2] <> parts[3]
        let both = left <> right
        let reused: ComposedMiddleware = left <> parts[3]
        var appended = left
        appended.append(middleware: right)
        #expect(names(both) == ["a", "b", "c", "d"])
        #expect(names(appended) == ["a", "b", "c", "d"])
        #expect(names(reused) == ["a", "b", "d"])
        #expect(names(left) == ["a", "b"])
        #expect(names(right) == ["c", "d"])
    }
}

/// A number that closures share, for tests on one thread.
private final class Counted: @unchecked Sendable {
    // @unchecked Sendable: the test that uses it dispatches and looks on one thread.
    private(set) var value = 0

    func add() { value += 1 }
}
