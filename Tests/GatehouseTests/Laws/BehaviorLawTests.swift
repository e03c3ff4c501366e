// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

/// Behaviors are a monoid, and do what their two parts do side by side.
@Suite(.timeLimit(.minutes(10)))
struct BehaviorLawTests {
    typealias Numbers = Behavior<Int, Int, Void>

    /// What one random behavior does.
    private struct Plan {
        let name: String
        let factor: Int
        let above: Int
        let steps: [Int]
        let hasChange: Bool
        let hasEffect: Bool

        init(_ random: inout SeededGenerator, _ name: String) {
            self.name = name
            factor = random.number(2...5)
            above = random.number(1...4)
            steps = random.numbers(1...3, upTo: 2)
            hasChange = random.number(0...3) > 0
            hasEffect = random.number(0...3) > 0
        }

        func change(_ action: Int, _ state: inout Int) { state = state &* factor &+ action }

        func answer(_ action: Int, _ state: Int, _ trace: Trace) -> Effect<Void, Int> {
            trace.add("\(name) answers \(action) (\(state))")
            return .sequence(steps.filter { _ in action > above }.map { action - $0 }, from: .named(name))
        }

        func behavior(_ trace: Trace) -> Numbers {
            .handle { action, state in
                trace.add("\(name) \(action) (\(state))")
                let change: Consequence<Int, Int, Void> =
                    hasChange ? .reduce { self.change(action, &$0) } : .doNothing
                return hasEffect ? change.produce { state, _ in answer(action, state(), trace) } : change
            }
        }

        /// The same as a reducer and a middleware that do not know each other.
        func reducer(_ trace: Trace) -> Reducer<Int, Int> {
            .reducing { action, state in
                trace.add("\(name) \(action) (\(state))")
                if hasChange { change(action, &state) }
                return hasChange ? .changed : .unchanged
            }
        }

        func middleware(_ trace: Trace) -> SimpleEffectMiddleware<Int, Int> {
            .onAction { action, state, _ in hasEffect ? answer(action, state(), trace) : .doNothing }
        }
    }

    /// Compares two sets of parts, made of three random plans, by all that is seen of a run.
    private func forAllPlans(
        _ one: @escaping ([Plan], Trace) -> StoreParts<Int, Int>,
        equals other: @escaping ([Plan], Trace) -> StoreParts<Int, Int>
    ) {
        forAll { random in
            let plans = ["a", "b", "c"].map { Plan(&random, $0) }
            let actions = (0..<random.number(1...4)).map { _ in random.number(0...7) }
            func run(_ make: ([Plan], Trace) -> StoreParts<Int, Int>) -> [String] {
                let trace = Trace()
                let store = Store(UnsafeShare(make(plans, trace)).value)
                let subscription = store.observe { trace.add("now \($0)") }
                for action in actions { store.dispatch(action, from: .named("test")) }
                subscription.cancel()
                return trace.lines + ["\(store.state)"]
            }
            return (run(one), run(other))
        }
    }

    private func parts(_ behavior: Numbers) -> StoreParts<Int, Int> {
        StoreParts(initialState: 1, behavior: behavior, dependencies: ())
    }

    @Test func `joining is associative`() {
        forAllPlans { plans, trace in
            let all = plans.map { $0.behavior(trace) }
            return parts((all[0] <> all[1]) <> all[2])
        } equals: { plans, trace in
            let all = plans.map { $0.behavior(trace) }
            return parts(all[0] <> (all[1] <> all[2]))
        }
    }

    @Test func `identity is neutral on both sides`() {
        forAllPlans { plans, trace in
            parts(.identity <> plans[0].behavior(trace))
        } equals: { plans, trace in
            parts(plans[0].behavior(trace))
        }
        forAllPlans { plans, trace in
            parts(plans[0].behavior(trace) <> .identity)
        } equals: { plans, trace in
            parts(plans[0].behavior(trace))
        }
    }

    @Test func `a join of behaviors is the join of their reducers beside that of their middlewares`() {
        forAllPlans { plans, trace in
            parts(plans.map { $0.behavior(trace) }.reduce(.identity, <>))
        } equals: { plans, trace in
            StoreParts(
                initialState: 1, reducer: plans.map { $0.reducer(trace) }.reduce(.identity, <>),
                middleware: plans.map { $0.middleware(trace) }.reduce(.identity, <>))
        }
    }

    @Test func `a lift of a join is the join of the lifts`() {
        let lift = { (behavior: Numbers) -> Numbers in
            behavior.lift(
                inputAction: { (action: Int) in action % 3 == 0 ? nil : action - 1 },
                outputAction: { $0 + 1 }, stateGetter: { (state: Int) in -state },
                stateSetter: { $0 = -$1 })
        }
        forAllPlans { plans, trace in
            parts(lift(plans[0].behavior(trace) <> plans[1].behavior(trace)))
        } equals: { plans, trace in
            parts(lift(plans[0].behavior(trace)) <> lift(plans[1].behavior(trace)))
        }
    }
}
