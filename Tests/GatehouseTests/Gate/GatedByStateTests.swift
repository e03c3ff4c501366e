// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GatedByStateTests {
    private let trace = Trace()

    /// A store whose state is open when positive; each action below 50 becomes the state, others are outputs.
    private func store<Middleware: MiddlewareProtocol<Int, Int, Int>>(
        state: Int, _ middleware: sending Middleware
    ) -> Store<Int, Int> {
        let trace = trace
        return Store(
            initialState: state,
            reducer: .reduce { action, state in
                if action < 50 { state = action } else { trace.add("output \(action)") }
            },
            middleware: middleware)
    }

    /// Answers small actions by the given outputs.
    private func probe(_ outputs: [Int] = [101]) -> Probe {
        Probe(name: "a", trace: trace) { $0 < 50 ? outputs : [] }
    }

    @Test func `the state before the reducer decides whether the middleware takes part`() {
        let store = store(state: 0, probe().gated(stateMap: { $0 > 0 }))
        store.dispatch(1)
        #expect(trace.lines == [], "the action that opens the gate is not seen")
        store.dispatch(2)
        #expect(trace.lines.prefix(3) == ["a gate active", "a handle 2 (1)", "a io 2 (2)"])
    }

    @Test
    func
        `an action whose reducer closes the gate is handled and answered, outputs of the answer are dropped`()
    {
        let gated = UnsafeShare(probe().gated(stateMap: { $0 > 0 }))
        let store = store(state: 1, Forward(gated))
        store.dispatch(0)
        #expect(trace.lines == ["a handle 0 (1)", "a io 0 (0)"])
        #expect(gated.value.droppedOutputs == 1)
    }

    @Test func `the state at each emission decides about that output`() {
        let kept = Kept<AnyActionHandler<Int>>()
        let keeping = AnyMiddleware<Int, Int, Int> { action, _, _ in
            action == 1 ? IO { kept.value = $0 } : .pure()
        }
        let store = store(state: 1, keeping.gated(stateMap: { $0 > 0 }))
        store.dispatch(1)
        kept.value?.dispatch(101)
        store.dispatch(0)
        kept.value?.dispatch(102)
        store.dispatch(1)
        kept.value?.dispatch(103)
        #expect(trace.lines == ["output 101", "output 103"])
    }

    @Test func `looking at outputs does not change what the gate remembers`() {
        let kept = Kept<AnyActionHandler<Int>>()
        let keeping = AnyMiddleware<Int, Int, Int> { action, _, _ in IO { kept.value = $0 } }
        let gated = UnsafeShare(keeping.gated(stateMap: { $0 > 0 }))
        let store = store(state: 1, Forward(gated))
        store.dispatch(0)
        kept.value?.dispatch(101)
        #expect(gated.value.gate == .active)
        #expect(gated.value.droppedOutputs == 1)
        #expect(gated.value.refresh() == .bypass)
        #expect(gated.value.gate == .bypass)
    }

    @Test func `reducers are never gated`() {
        let store = store(state: 0, probe().gated(stateMap: { _ in false }))
        store.dispatch(7)
        #expect(store.state == 7)
    }

    @Test func `refresh closes at once and cancels`() {
        let gated = UnsafeShare(probe().gated(stateMap: { $0 > 0 }, onClose: .cancel))
        let store = store(state: 1, Forward(gated))
        store.dispatch(0)
        #expect(!trace.lines.contains("a cancelled"))
        gated.value.refresh()
        gated.value.refresh()
        #expect(trace.lines.suffix(2) == ["a cancelled", "a gate bypass"])
    }

    @Test func `without refresh the next action closes`() {
        let store = store(state: 1, probe().gated(stateMap: { $0 > 0 }, onClose: .cancel))
        store.dispatch(0)
        store.dispatch(0)
        #expect(trace.lines.suffix(2) == ["a cancelled", "a gate bypass"])
        withExtendedLifetime(store) {}
    }

    @Test func `at the start the state is looked at, and outputs of the start are filtered`() {
        let open = UnsafeShare(Starting(output: 101).gated(stateMap: { $0 > 0 }))
        let closed = UnsafeShare(Starting(output: 102).gated(stateMap: { $0 < 0 }))
        let store = store(state: 1, Forward(open) <> Forward(closed))
        #expect(trace.lines == ["output 101"])
        #expect(open.value.gate == .active)
        #expect(closed.value.gate == .bypass)
        #expect(closed.value.droppedOutputs == 1)
        withExtendedLifetime(store) {}
    }

    @Test func `the map is called in the drain once for each action and once for each output`() {
        let trace = trace
        let gated = probe([101, 102]).gated(stateMap: { state in
            trace.add("look")
            return true
        })
        let store = store(state: 1, gated.lift(inputAction: { (action: Int) in action < 50 ? action : nil }))
        let before = trace.lines.count
        store.dispatch(1)
        #expect(trace.lines.dropFirst(before).filter { $0 == "look" }.count == 3)
    }
}

/// Emits one action when the store starts.
private struct Starting: MiddlewareProtocol {
    let output: Int

    func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> { .pure() }

    func start(state: GetState<Int>) -> IO<Int> { IO { [output] in $0.dispatch(output) } }
}
