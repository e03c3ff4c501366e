// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// An interceptor that writes down what it sees, and does with each action what it is told to.
///
/// Lines are `name before 3 (0)` and `name after 3 (5)`, the state in parentheses.
struct Guard: InterceptorProtocol {
    /// What becomes of an action.
    enum Decision: Sendable {
        /// Goes on as it came.
        case pass
        /// Lets another action go on in its place.
        case change(Int)
        /// Stops the action, so that nobody after it hears it.
        case stop
        /// Goes on twice: as it came, then as another.
        case twice(Int)
        /// Keeps the way on in `kept`, to be gone later.
        case keep
    }

    /// First in each line; also the file of the source of each output.
    let name: String
    /// The trace that takes the lines.
    let trace: Trace
    /// The `next` of the action that was kept last.
    var kept = Kept<Next<Int>>()
    /// What it emits before it decides.
    var emits: @Sendable (Int) -> [Int] = { _ in [] }
    /// What it wants to see.
    var wants: @Sendable (Int) -> Bool = { _ in true }
    /// The function that decides about each action.
    var decide: @Sendable (Int) -> Decision = { _ in .pass }

    func concerns(_ action: Int) -> Bool { wants(action) }

    func intercept(
        action: Int, from dispatcher: ActionSource, state: OwnState<Int, Int>, output: AnyActionHandler<Int>,
        next: Next<Int>
    ) {
        trace.add("\(name) before \(action) (\(state()))")
        for value in emits(action) { output.dispatch(value, from: .named(name)) }
        switch decide(action) {
        case .pass: next()
        case .change(let other): next(other)
        case .stop: break
        case .twice(let other):
            next()
            next(other)
        case .keep: kept.value = next
        }
        trace.add("\(name) after \(action) (\(state()))")
    }

    func gateChanged(to gate: GateState) { trace.add("\(name) gate \(gate)") }
}

extension Guard {
    /// A store around guards and one middleware `m`, whose reducer adds and writes down.
    static func store(
        _ guards: [AnyInterceptor<Int, Int>], middleware: [Probe], trace: Trace,
        hooks: StoreHooks<Int> = StoreHooks(), limits: DrainLimits = DrainLimits()
    ) -> Store<Int, Int> {
        // Each store has parts of its own; the guards are values that tests do not touch afterwards.
        let parts = UnsafeShare(guards)
        return Store(
            StoreParts(
                initialState: 0,
                reducer: .reduce { action, state in
                    trace.add("reduce \(action)")
                    state += action
                },
                middleware: ComposedMiddleware(middleware.map { $0.eraseToAnyMiddleware() }),
                interceptors: parts.value),
            limits: limits, hooks: hooks)
    }
}
