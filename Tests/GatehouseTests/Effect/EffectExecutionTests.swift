// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseTesting
import Testing

/// How the work of effects is run.
@Suite(.timeLimit(.minutes(5)))
struct EffectExecutionTests {
    typealias Middleware = EffectMiddleware<Int, Int, [Int], Void>

    /// A store that keeps what it hears and answers 1 by an effect.
    private func makeStore(
        _ execution: EffectExecution, answer: @escaping @Sendable () -> Effect<Void, Int>
    ) -> Store<Int, [Int]> {
        Store(
            StoreParts(
                initialState: [],
                reducer: Reducer { action, state in
                    state.append(action)
                    return .changed
                },
                middleware: Middleware.onAction { action, _, _ in action == 1 ? answer() : .doNothing }),
            effects: execution)
    }

    /// Each kind of work, which would emit 2.
    static let work: [@Sendable () -> Effect<Void, Int>] = [
        { .task { 2 } }, { .run { $0.send(2) } }, { .promise { $0(2) } },
        { .start { _, output in output.send(2) } },
        { AsyncStream(unfolding: { nil as Int? }).asEffect() },
        { .task { 2 }.delay(for: .zero) }, { .task { 2 }.throttle(id: 1, for: .zero) },
        { .timer(every: .seconds(1)) { 2 } },
        { .fireAndForget { Issue.record("it was run") } },
    ]

    @Test(arguments: work.indices)
    func `stubbed work is counted, holds nothing open and is not run`(_ index: Int) {
        let store = makeStore(.stubbed) { Self.work[index]() }
        store.dispatch(1)
        #expect(store.state == [1])
        #expect(store.activity.stubbed == 1)
        #expect(store.activity.running == 0)
    }

    /// Keeps what is to begin.
    private final class Hold: EffectHold, @unchecked Sendable {
        /// What was not begun; touched by the thread of the test only.
        var waiting: [() -> Void] = []

        func wait(_ begin: @escaping () -> Void) { waiting.append(begin) }
    }

    @Test func `held work counts as running and begins when it is let`() {
        let hold = Hold()
        let store = makeStore(.held(hold)) { .start { _, output in output.send(2) } }
        store.dispatch(1)
        #expect(store.state == [1])
        #expect(store.activity.running == 1)
        for begin in hold.waiting { begin() }
        hold.waiting = []
        #expect(store.state == [1, 2])
        #expect(store.activity.running == 0)
    }

    @Test func `held work of which is let go ends without having begun`() {
        let hold = Hold()
        let store = makeStore(.held(hold)) { .start { _, output in output.send(2) } }
        store.dispatch(1)
        hold.waiting = []
        #expect(store.state == [1])
        #expect(store.activity.running == 0)
    }

    @Test func `held work that is cancelled does not begin`() {
        let hold = Hold()
        let store = Store(
            StoreParts(
                initialState: [],
                reducer: Reducer { action, state in
                    state.append(action)
                    return .changed
                },
                middleware: Middleware.onAction { action, _, _ in
                    action == 1
                        ? .start(token: "work") { _, output in output.send(2) }
                        : action == 3 ? .cancel("work") : .doNothing
                }),
            effects: .held(hold))
        store.dispatch(1)
        store.dispatch(3)
        for begin in hold.waiting { begin() }
        #expect(store.state == [1, 3])
    }

    @Test func `held work that is over when it has begun ends then, although its holder still has it`() {
        let hold = Hold()
        let store = makeStore(.held(hold)) { .fireAndForget {} }
        store.dispatch(1)
        #expect(store.activity.running == 1)
        for begin in hold.waiting { begin() }
        #expect(store.activity.running == 0)
        hold.waiting = []
    }

    @Test func `what only emits is not held`() {
        let hold = Hold()
        let store = makeStore(.held(hold)) { .just(2) <> .sequence(3, 4) }
        store.dispatch(1)
        #expect(store.state == [1, 2, 3, 4])
        #expect(hold.waiting.isEmpty)
    }

    @Test func `what only emits or cancels is done where work is stubbed`() {
        let store = makeStore(.stubbed) {
            .just(2) <> .sequence(3, 4) <> .just { _ in 5 } <> .cancel("nothing")
        }
        store.dispatch(1)
        #expect(store.state == [1, 2, 3, 4, 5])
        #expect(store.activity.stubbed == 0)
    }

    @Test func `what follows stubbed work does not come, because the work never ends`() {
        let store = makeStore(.stubbed) { .task { 2 }.append(3) }
        store.dispatch(1)
        #expect(store.state == [1])
    }

    @Test func `tasks of effects run where the executor is told to run them`() {
        let executor = TestExecutor()
        let store = makeStore(.preferring(executor)) {
            .task {
                await Task.yield()
                return 2
            }
        }
        store.dispatch(1)
        #expect(store.state == [1])
        executor.runAll()
        #expect(store.state == [1, 2])
        #expect(store.activity.running == 0)
    }

    @Test func `the parts of a whole run as the whole does unless they say otherwise`() {
        let whole = Activity(execution: .stubbed)
        guard case .stubbed = Activity(within: whole).execution else {
            Issue.record("expected stubbed")
            return
        }
        guard case .tasks = Activity(within: whole, execution: .tasks).execution else {
            Issue.record("expected tasks")
            return
        }
    }
}
