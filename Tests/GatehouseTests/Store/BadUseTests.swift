// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// What is forbidden, or looks as if it were, never passes in silence: it is reported, traps as documented, or does
/// something that is written down.
@Suite(.timeLimit(.minutes(5)))
struct BadUseTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>

    private let trace = Trace()

    /// Writes down what a store tells.
    private var hooks: StoreHooks<Int> {
        let trace = trace
        return StoreHooks(
            onLoop: { trace.add("loop \($0.recent.count)") },
            onLateAction: { trace.add("late \($0.action) from \($0.dispatcher.file)") },
            onMisuse: { trace.add("\($0)") })
    }

    /// A store that writes down what it reduces and answers by effects.
    private func store(_ effect: @escaping @Sendable (Int) -> Effect<Void, Int>) -> Store<Int, Int> {
        let trace = trace
        return Store(
            initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
            middleware: Middleware.onAction { action, _, _ in effect(action) }, hooks: hooks)
    }

    @Test func `a dispatch from a reducer is queued and reported`() {
        let (trace, own) = (trace, Weak<Store<Int, Int>>())
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: .reduce { action, state in
                if action == 1 { own.value?.dispatch(2, from: .named("Reducer.swift")) }
                state += action
                trace.add("reduced \(action) to \(state)")
            }, middleware: IdentityMiddleware<Int, Int, Int>(), hooks: hooks)
        own.value = store
        store.dispatch(1)
        #expect(
            Set(trace.lines) == [
                "reduced 1 to 1", "reduced 2 to 3",
                "Reducer.swift:1: expected a reducer to dispatch nothing, found an action, which was queued; dispatch "
                    + "it from a middleware or an observer",
            ])
        #expect(trace.lines.first == "reduced 1 to 1", "the queued action is never nested")
    }

    @Test func `a second completion of a promise is dropped and reported with the promise's place`() {
        let answers = Kept<@Sendable (Int) -> Void>()
        let store = store { $0 == 1 ? .promise(file: "P.swift", line: 7) { answers.value = $0 } : .doNothing }
        store.dispatch(1)
        answers.value?(5)
        answers.value?(6)
        #expect(
            trace.lines == [
                "reduce 1", "reduce 5",
                "P.swift:7: expected a promise to be answered once, found another answer, which was dropped; use "
                    + "Effect.run for work that emits several actions",
            ])
    }

    @Test func `a promise answered twice while it starts is reported too`() {
        let store = store {
            $0 == 1 ? .promise(file: "P.swift") { for answer in [5, 6] { $0(answer) } } : .doNothing
        }
        store.dispatch(1)
        #expect(trace.lines.filter { $0.hasPrefix("reduce") } == ["reduce 1", "reduce 5"])
        #expect(trace.lines.filter { $0.hasPrefix("P.swift") }.count == 1)
    }

    @Test func `an answer to a promise that was cancelled is no misuse, it is dropped as all outputs are`() {
        let answers = Kept<@Sendable (Int) -> Void>()
        let store = store { $0 == 1 ? .promise(token: "p") { answers.value = $0 } : .cancel("p") }
        store.dispatch(1)
        store.dispatch(2)
        answers.value?(5)
        #expect(trace.lines == ["reduce 1", "reduce 2"])
    }

    @Test func `a promise answered again after its store is gone harms nobody`() {
        let answers = Kept<@Sendable (Int) -> Void>()
        do {
            let store = store { $0 == 1 ? .promise { answers.value = $0 } : .doNothing }
            store.dispatch(1)
        }
        answers.value?(5)
        answers.value?(6)
        #expect(trace.lines == ["reduce 1"])
    }

    @Test
    func `a token reused while it is being cancelled: the successor starts after the end and is left alone`()
    {
        let trace = trace
        let outputs = [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()]
        let cancel = Kept<ToCancel<Void, Int>>()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .identity,
            middleware: Middleware.onAction { action, _, context in
                cancel.value = context.toCancel
                return .start(token: "t") { _, output in
                    trace.add("start \(action)")
                    outputs[action].value = output
                    output.onCancel {
                        // Comes back to the token in the middle of its cancellation.
                        cancel.value?.now("t")
                        output.finish()
                        trace.add("stop \(action)")
                    }
                }
            }, hooks: hooks)
        store.dispatch(0)
        store.dispatch(1)
        #expect(trace.lines == ["start 0", "stop 0", "start 1"])
        #expect(outputs[1].value?.isCancelled == false)
        outputs[0].value = nil
        #expect(store.activity.running == 1)
    }

    @Test func `a stop closure that dispatches an effect with the same token starts it after the successor`()
    {
        let (trace, own) = (trace, Weak<Store<Int, Int>>())
        let kept = [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()]
        let store = Store<Int, Int>(
            initialState: 0, reducer: .identity,
            middleware: Middleware.onAction { action, _, _ in
                .start(token: "t") { _, output in
                    trace.add("start \(action)")
                    kept[action].value = output
                    output.onCancel {
                        trace.add("stop \(action)")
                        if action == 0 { own.value?.dispatch(2) }
                    }
                }
            })
        own.value = store
        store.dispatch(0)
        store.dispatch(1)
        #expect(trace.lines == ["start 0", "stop 0", "start 1", "stop 1", "start 2"])
        #expect(store.activity.running == 1)
    }

    @Test
    func `an effect started after its middleware is gone is cancelled at its start, its outputs dropped`() {
        let trace = trace
        func answer() -> IO<Int> {
            Middleware.onAction { _, _, _ in
                .start { _, output in
                    output.onCancel { trace.add("stop") }
                    Self.later.value = output
                }
            }.handle(action: 1, from: .named("x"), state: GetState { 0 })
        }
        answer().run { trace.add("emitted \($0.action)") }
        Self.later.value?.send(5)
        #expect(trace.lines == ["stop"])
        #expect(Self.later.value?.isCancelled == true)
        Self.later.value = nil
    }

    /// Outlives the middleware of the test above.
    private static let later = Kept<EffectOutput<Int>>()

    @Test func `outputs after the store is released are counted, reported with their source and dropped`() {
        let (trace, kept) = (trace, Kept<AnyActionHandler<Int>>())
        let activity: Activity
        do {
            let store = Store<Int, Int>(
                initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
                middleware: AnyMiddleware { _, _, _ in IO { kept.value = $0 } }, hooks: hooks)
            activity = store.activity
            store.dispatch(1)
            #expect(activity.lateActions == 0)
        }
        for action in [7, 8] { kept.value?.dispatch(action, from: .named("far")) }
        #expect(trace.lines == ["reduce 1", "late 7 from far", "late 8 from far"])
        #expect(activity.lateActions == 2)
    }

    @Test func `a middleware without outputs fits where others emit, also as a reader`() {
        let trace = trace
        let listener = AnyMiddleware<Int, Never, Int> { action, _, state in
            trace.add("hears \(action)")
            return IO { _ in trace.add("after \(state())") }
        }
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: MiddlewareReader<Void, AnyMiddleware<Int, Never, Int>>.pure(listener).emitting(
                Int.self
            ).inject(()))
        store.dispatch(3)
        #expect(trace.lines == ["hears 3", "after 3"])
    }

    @Test func `an effect without outputs runs, and its type forbids emitting`() {
        let trace = trace
        let quiet = EffectMiddleware<Int, Never, Int, Void>.onAction { action, state, _ in
            .fireAndForget { trace.add("\(action) (\(state()))") }
        }
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: quiet.emitting())
        store.dispatch(3)
        #expect(trace.lines == ["3 (3)"])
    }

    @Test func `a reader may be injected again from its own flatMap and zip`() {
        let trace = trace
        typealias Reader = MiddlewareReader<Int, Probe>
        let reader = Reader { depth in
            trace.add("inject \(depth)")
            return Probe(name: "\(depth)", trace: trace)
        }
        let twice = reader.flatMap { first in
            Reader { depth in
                depth > 0 ? reader.inject(depth - 1) : first
            }
        }
        #expect(twice.inject(1).name == "0")
        #expect(trace.lines == ["inject 1", "inject 0"])
        let zipped = Reader.zip(twice, reader) { _, second in twice.inject(0) <> second }
        #expect(zipped.inject(2).members.count == 2)
        #expect(trace.lines.dropFirst(2) == ["inject 2", "inject 1", "inject 2", "inject 0"])
    }

    @Test func `a reader may be injected in the drain, and what it dispatches meanwhile is queued`() {
        let (trace, own) = (trace, Weak<Store<Int, Int>>())
        let reader = MiddlewareReader<Int, AnyMiddleware<Int, Int, Int>> { number in
            own.value?.dispatch(number)
            return AnyMiddleware { _, _, _ in .pure() }
        }
        let store = Store<Int, Int>(
            initialState: 0, reducer: .reduce { action, _ in trace.add("reduce \(action)") },
            middleware: AnyMiddleware { action, _, _ in
                if action == 1 {
                    _ = MiddlewareReader<Int, AnyMiddleware<Int, Int, Int>>.zip(
                        reader, reader.flatMap { _ in reader }
                    ) { $0 <> $1 }.inject(2)
                }
                return .pure()
            }, hooks: hooks)
        own.value = store
        store.dispatch(1)
        #expect(trace.lines == ["reduce 1", "reduce 2", "reduce 2", "reduce 2"])
    }

    @Test func `reading the store's state in a reducer traps with words`() async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let own = Weak<Store<Int, Int>>()
            let store = Store<Int, Int>(
                initialState: 0, reducer: .reduce { _, state in state = own.value?.withState { $0 } ?? 1 })
            own.value = store
            store.dispatch(1)
        }
        expect(
            ended,
            says: "a reducer must not read the state of its own store; it is given the state it changes")
    }

    @Test func `applying an action in a reducer traps with words`() async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let own = Kept<UnsafeShare<OwnState<Int, Int>>>()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: .reduce { action, _ in if action == 2 { own.value?.value.apply(1) } },
                middleware: IdentityMiddleware<Int, Int, Int>(),
                interceptors: [
                    AnyInterceptor { _, _, state, _, next in
                        own.value = UnsafeShare(state)
                        next()
                    }
                ])
            store.dispatch(2)
        }
        expect(ended, says: "a reducer must not apply actions; it is given the state it changes")
    }

    @Test func `a timer without an interval traps with words`() async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Effect<Void, Int>.timer(every: .zero) { 1 }
        }
        expect(ended, says: "a timer's interval must be more than zero, and is 0.0 seconds")
    }

    @Test func `a store that allows no outputs at all traps with words`() async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Store<Int, Int>(
                initialState: 0, reducer: .identity, middleware: IdentityMiddleware<Int, Int, Int>(),
                limits: DrainLimits(chain: 0))
        }
        expect(ended, says: "each limit of a store must be 1 or more, and chain is 0")
    }

    @Test func `a middleware that may have no effects traps with words`() async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Middleware(dependencies: (), maximumEffects: 0) { _, _, _ in .doNothing }
        }
        expect(ended, says: "the limit of effects must be 1 or more, and is 0")
    }

    /// Looks for a reason in what a process wrote to standard error, in release builds too.
    private func expect(
        _ ended: ExitTest.Result?, says words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Fatal error: \(words)\n"), sourceLocation: sourceLocation)
    }

    @Test func `whoever sets no hooks reads on standard error`() async throws {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let (own, answers) = (Weak<Store<Int, Int>>(), Kept<@Sendable (Int) -> Void>())
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: .reduce { action, _ in
                    if action == 1 { own.value?.dispatch(2, from: .named("R.swift")) }
                },
                middleware: Middleware.onAction { action, _, _ in
                    switch action {
                    case 3: .promise(file: "P.swift", line: 7) { answers.value = $0 }
                    case 5: .just(5, from: .named("L.swift"))
                    default: .doNothing
                    }
                }, limits: DrainLimits(chain: 2))
            own.value = store
            store.dispatch(1)
            store.dispatch(3)
            for _ in 0..<2 { answers.value?(4) }
            store.dispatch(5)
        }
        let words = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
        #expect(
            words.contains(
                "Gatehouse: R.swift:1: expected a reducer to dispatch nothing, found an action, which was queued; "
                    + "dispatch it from a middleware or an observer\n"))
        #expect(
            words.contains(
                "Gatehouse: P.swift:7: expected a promise to be answered once, found another answer"))
        #expect(
            words.contains(
                "): expected at most 2 outputs, each in answer to the one before, found 1 more, which was dropped: "
                    + "5 (L.swift:1), 5 (L.swift:1), 5 (L.swift:1); look for the middlewares that answer each other\n"
            ))
    }
}
