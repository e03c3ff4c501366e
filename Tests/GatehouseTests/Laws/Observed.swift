// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// Everything an outsider can see of a run: calls in order with states and sources, reductions, and the last state.
struct Observed: Equatable, CustomStringConvertible {
    let lines: [String]
    let state: Int

    /// Runs a middleware in a store whose reducer does not commute, so that each difference in order shows.
    static func run(
        _ actions: [Int], _ make: (Trace) -> AnyMiddleware<Int, Int, Int>
    ) -> Observed {
        let trace = Trace()
        let store = Store<Int, Int>(
            initialState: 1,
            reducer: .reduce { action, state in
                trace.add("reduce \(action)")
                state = state &* 31 &+ action
            },
            middleware: make(trace))
        for action in actions { store.dispatch(action, from: .named("test")) }
        return Observed(lines: trace.lines, state: store.state)
    }

    var description: String { (lines + ["state \(state)"]).joined(separator: "\n") }
}

/// A law about middlewares made from some random plans.
///
/// Both sides are built from the same plans and run over the same actions.
func forAllMiddlewares(
    _ count: Int, only: UInt64? = nil,
    _ one: @escaping (_ parts: [AnyMiddleware<Int, Int, Int>]) -> AnyMiddleware<Int, Int, Int>,
    equals other: @escaping (_ parts: [AnyMiddleware<Int, Int, Int>]) -> AnyMiddleware<Int, Int, Int>
) {
    forAll(only: only) { random in
        let plans = (0..<count).map { MiddlewarePlan.random(&random, name: ["a", "b", "c"][$0]) }
        let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
        return (
            Observed.run(actions) { trace in one(plans.map { $0.build(trace) }) },
            Observed.run(actions) { trace in other(plans.map { $0.build(trace) }) }
        )
    }
}
