// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Suas
import Testing

/// Suas middlewares in front of a Gatehouse store.
@Suite(.timeLimit(.minutes(10)))
struct InterceptorTests {
    /// An action of the store; the middlewares know nothing of its note.
    enum HostAction: Sendable, Equatable {
        case add(Int, note: String)
        case other(Int)
    }

    private let trace = Trace()
    private let problems = Problems()

    /// A store whose state is a number, behind the middlewares.
    private func store(_ middleware: sending any MiddlewareComponent) -> Gatehouse.Store<HostAction, Int> {
        let trace = trace
        return Gatehouse.Store(
            initialState: 0,
            reducer: .reduce { action, state in
                switch action {
                case .add(let amount, let note):
                    trace.add("reduce +\(amount) \(note)")
                    state += amount
                case .other(let number): trace.add("reduce other \(number)")
                }
            },
            middleware: IdentityMiddleware<HostAction, HostAction, Int>(),
            interceptors: [
                middleware.interceptor(
                    action: { action in
                        if case .add(let amount, _) = action { Add(amount) } else { nil }
                    },
                    hostAction: { ($0 as? Add).map { .add($0.amount, note: "made") } },
                    state: { ["Int": $0] }, onProblem: problems.add)
            ])
    }

    @Test func `members stand around the store in their order, with the state before and after`() {
        let store = store(Probe(name: "a", trace: trace) + Probe(name: "b", trace: trace))
        store.dispatch(.add(2, note: "first"))
        #expect(
            trace.lines == [
                "a before +2 (0)", "b before +2 (0)", "reduce +2 first", "b after +2 (2)", "a after +2 (2)",
            ])
    }

    @Test func `an action passed on as it came is the host's very action`() {
        let store = store(BlockMiddleware { action, _, _, next in next(action) })
        store.dispatch(.add(2, note: "kept"))
        #expect(trace.lines == ["reduce +2 kept"])
    }

    @Test func `another action is what the members after it and the store see`() {
        let store = store(
            BlockMiddleware { _, _, _, next in next(Add(7)) } + Probe(name: "b", trace: trace))
        store.dispatch(.add(2, note: "lost"))
        #expect(trace.lines == ["b before +7 (0)", "reduce +7 made", "b after +7 (7)"])
    }

    @Test func `an action that the members have no form of passes them by`() {
        let store = store(BlockMiddleware { _, _, _, _ in })
        store.dispatch(.other(1))
        store.dispatch(.add(1, note: ""))
        #expect(trace.lines == ["reduce other 1"])
    }

    @Test func `a second next waits for its turn, after the members passed`() {
        let store = store(
            BlockMiddleware { [trace] action, _, _, next in
                next(action)
                next(Add(5))
                trace.add("returned")
            } + Probe(name: "b", trace: trace))
        store.dispatch(.add(1, note: ""))
        #expect(
            trace.lines == [
                "b before +1 (0)", "reduce +1 ", "b after +1 (1)", "returned", "b before +5 (1)",
                "reduce +5 made", "b after +5 (6)",
            ])
    }

    @Test func `an action let pass that the store has no form of stops there and is reported`() {
        let store = store(BlockMiddleware { _, _, _, next in next(Say("hello")) })
        store.dispatch(.add(1, note: ""))
        #expect(trace.lines == [])
        #expect(problems.all == [.actionNotTaken(action: "Say")])
        #expect(
            problems.all.first?.description
                == "action Say: expected a form of it for the store behind the middlewares, found none; give it one in hostAction, or let a middleware take it"
        )
    }

    // MARK: - Late calls

    @Test func `a kept next holds the run open until it is called, from whatever thread`() {
        let kept = Kept<NextFunction>()
        let store = store(
            Probe(name: "a", trace: trace) + BlockMiddleware { _, _, _, next in kept.value = next })
        store.dispatch(.add(3, note: "late"))
        #expect(!store.activity.isIdle)
        Threads.run(1) { _ in kept.value?(Add(3)) }
        #expect(store.activity.isIdle)
        #expect(trace.lines.suffix(2) == ["a after +3 (0)", "reduce +3 late"])
    }

    @Test func `a kept next that goes without a call lets the run end`() {
        let kept = Kept<NextFunction>()
        let store = store(BlockMiddleware { _, _, _, next in kept.value = next })
        store.dispatch(.add(3, note: ""))
        #expect(!store.activity.isIdle)
        kept.value = nil
        #expect(store.activity.isIdle)
        #expect(trace.lines == [])
    }

    @Test func `a next that was called does not hold the run open, kept or not`() {
        let kept = Kept<NextFunction>()
        let store = store(
            BlockMiddleware { action, _, _, next in
                next(action)
                kept.value = next
            })
        store.dispatch(.add(3, note: ""))
        #expect(store.activity.isIdle)
        #expect(kept.value != nil)
    }

    // MARK: - Connected middlewares

    /// Delays each action until the next one comes, by its properties alone.
    private final class Delaying: Middleware {
        var api: MiddlewareAPI?
        var next: NextFunction? {
            didSet { previous = oldValue }
        }
        private var previous: NextFunction?
        private var last: (any Action)?

        func onAction(
            action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
            next: @escaping NextFunction
        ) {
            if let last { previous?(last) }
            last = action
        }
    }

    @Test func `the property next does not hold the run open, and works late`() {
        let store = store(Delaying())
        store.dispatch(.add(1, note: "one"))
        #expect(store.activity.isIdle)
        #expect(trace.lines == [])
        store.dispatch(.add(2, note: "two"))
        #expect(trace.lines == ["reduce +1 one"])
    }

    /// Doubles, asks for more by its api, and writes down its end.
    private final class Doubler: Middleware {
        var api: MiddlewareAPI?
        var next: NextFunction?
        private let trace: Trace

        init(trace: Trace) { self.trace = trace }

        deinit { trace.add("gone") }

        func onAction(
            action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
            next: @escaping NextFunction
        ) {
            guard case let add as Add = action else { return }
            self.next?(Add(add.amount * 2))
            if let api, api.state.number < 10 { api.dispatch(action: Add(5)) }
        }
    }

    @Test func `api and next are set before the first action comes`() {
        let store = store(Doubler(trace: trace))
        store.dispatch(.add(1, note: ""))
        #expect(trace.lines == ["reduce +2 made", "reduce +10 made"])
        #expect(store.state == 12)
    }

    @Test func `a middleware that keeps api and next goes with its store`() {
        do {
            let store = store(Doubler(trace: trace))
            store.dispatch(.add(6, note: ""))
            #expect(trace.lines == ["reduce +12 made"])
        }
        #expect(trace.lines == ["reduce +12 made", "gone"])
    }

    // MARK: - Dispatching

    @Test func `what a member dispatches goes through the whole store, at the end of the queue`() {
        let store = store(
            Probe(name: "a", trace: trace)
                + BlockMiddleware { action, _, dispatch, next in
                    if case let add as Add = action, add.amount == 1 { dispatch(Add(10)) }
                    next(action)
                })
        store.dispatch(.add(1, note: "first"))
        #expect(
            trace.lines == [
                "a before +1 (0)", "reduce +1 first", "a after +1 (1)", "a before +10 (1)", "reduce +10 made",
                "a after +10 (11)",
            ])
    }

    /// Dispatches an async action for each 1, which dispatches twice the number.
    private static var doubling: BlockMiddleware {
        BlockMiddleware { action, _, dispatch, next in
            next(action)
            guard case let add as Add = action, add.amount == 1 else { return }
            dispatch(
                BlockAsyncAction { getState, dispatch in dispatch(Add(getState().number * 2)) })
        }
    }

    @Test func `an async action is executed by AsyncMiddleware, though the store has no form of it`() {
        let store = store(Self.doubling + AsyncMiddleware())
        store.dispatch(.add(1, note: ""))
        #expect(trace.lines == ["reduce +1 ", "reduce +2 made"])
        #expect(problems.all == [])
    }

    @Test func `an async action that no member executes is reported`() {
        let store = store(Self.doubling)
        store.dispatch(.add(1, note: ""))
        #expect(trace.lines == ["reduce +1 "])
        #expect(problems.all == [.asyncActionNotExecuted(action: "BlockAsyncAction")])
    }

    @Test func `an action for the members alone may become one that the store takes`() {
        let store = store(
            BlockMiddleware { action, _, dispatch, next in
                if case let say as Say = action { return next(Add(say.description.count)) }
                if case let add as Add = action, add.amount == 1 { dispatch(Say("four")) }
                next(action)
            })
        store.dispatch(.add(1, note: ""))
        #expect(trace.lines == ["reduce +1 ", "reduce +4 made"])
        #expect(problems.all == [])
    }

    @Test func `async actions that dispatch themselves are cut like any chain`() {
        let loops = Kept<Int>()
        let parts = AsyncMiddleware() as any MiddlewareComponent
        let executed = Trace()
        struct Endless: AsyncAction {
            let executed: Trace
            func execute(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction) {
                executed.add("once more")
                dispatch(self)
            }
        }
        let store = Gatehouse.Store<Add, Int>(
            StoreParts(
                initialState: 0, reducer: .identity, middleware: IdentityMiddleware(),
                interceptors: [
                    (BlockMiddleware { _, _, dispatch, _ in dispatch(Endless(executed: executed)) } + parts)
                        .interceptor(state: { (_: Int) in State() })
                ]), limits: DrainLimits(chain: 50), hooks: StoreHooks(onLoop: { loops.value = $0.limit }))
        store.dispatch(Add(1))
        #expect(loops.value == 50)
    }

    @Test func `after the store is gone a dispatched action is told of`() {
        let kept = Kept<DispatchFunction>()
        var store: Gatehouse.Store<HostAction, Int>? = store(
            BlockMiddleware { action, _, dispatch, next in
                kept.value = dispatch
                next(action)
            })
        store?.dispatch(.add(1, note: ""))
        store = nil
        kept.value?(Say("hello"))
        #expect(problems.all == [.storeReleased(action: "Say")])
    }

    // MARK: - State

    @Test func `getState is live in the drain, and elsewhere what was seen there last`() {
        let kept = Kept<GetStateFunction>()
        let store = store(
            BlockMiddleware { action, getState, _, next in
                kept.value = getState
                next(action)
            })
        store.dispatch(.add(3, note: ""))
        #expect(kept.value?().number == 3)
        let trace = trace
        let subscription = store.observe { _ in trace.add("\(kept.value?().number ?? -1)") }
        store.dispatch(.add(1, note: ""))
        #expect(trace.lines.last == "4")
        withExtendedLifetime(subscription) {}
    }

    // MARK: - Actions of one type

    @Test func `a store of Suas actions needs no maps`() {
        let trace = trace
        let store = Gatehouse.Store<Add, Int>(
            initialState: 0, reducer: .reduce { action, state in state += action.amount },
            middleware: IdentityMiddleware<Add, Add, Int>(),
            interceptors: [
                Probe(name: "a", trace: trace).interceptor(of: Add.self, state: { ["Int": $0] })
            ])
        store.dispatch(Add(4))
        #expect(trace.lines == ["a before +4 (0)", "a after +4 (4)"])
        #expect(store.state == 4)
    }
}
