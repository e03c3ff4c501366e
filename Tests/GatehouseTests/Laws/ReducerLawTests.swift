// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReducerLawTests {
    typealias Numbers = Reducer<Int, [Int]>

    /// What a reducer made of three random ones does to some actions.
    private func forAllReducers(
        _ one: @escaping ([Numbers]) -> Numbers, equals other: @escaping ([Numbers]) -> Numbers
    ) {
        forAll { random in
            let reducers = (0..<3).map { _ in Self.random(&random) }
            let actions = random.numbers(0...9, upTo: 8)
            return (Self.run(one(reducers), actions), Self.run(other(reducers), actions))
        }
    }

    /// A reducer that hears some actions and changes the state in a way that does not commute.
    private static func random(_ random: inout SeededGenerator) -> Numbers {
        let factor = random.number(2...9)
        let divisor = random.number(1...4)
        return .reducing { action, state in
            guard action % divisor == 0 else { return .unchanged }
            state = state.map { $0 &* factor } + [action]
            return .changed
        }
    }

    /// The states and reported changes, step by step.
    private static func run(_ reducer: Numbers, _ actions: [Int]) -> [String] {
        var state: [Int] = []
        return actions.map { action in
            let change = reducer.apply(action, &state)
            return "\(change) \(state)"
        }
    }

    @Test func `identity is neutral on both sides`() {
        forAllReducers {
            .identity <> $0[0]
        } equals: {
            $0[0]
        }
        forAllReducers {
            $0[0] <> .identity
        } equals: {
            $0[0]
        }
    }

    @Test func `joining is associative`() {
        forAllReducers {
            ($0[0] <> $0[1]) <> $0[2]
        } equals: {
            $0[0] <> ($0[1] <> $0[2])
        }
    }

    @Test func `lifting keeps joining`() {
        forAllReducers { all in
            Self.lifted(all[0] <> all[1])
        } equals: { all in
            Self.lifted(all[0]) <> Self.lifted(all[1])
        }
    }

    @Test func `lifting keeps identity`() {
        forAllReducers {
            Self.lifted(.identity) <> $0[0]
        } equals: {
            $0[0]
        }
    }

    @Test func `lifting one axis at a time equals lifting at once`() {
        forAllReducers { all in
            Self.lifted(all[0])
        } equals: { all in
            all[0].lift(action: \Int.halfIfEven).lift(state: \[Int].itself)
        }
        forAllReducers { all in
            Self.lifted(all[0])
        } equals: { all in
            all[0].lift(state: \[Int].itself).lift(action: \Int.halfIfEven)
        }
        forAllReducers { all in
            Self.lifted(all[0])
        } equals: { all in
            all[0].lift(
                actionGetter: { (action: Int) in action.halfIfEven },
                stateGetter: { (state: [Int]) in state },
                stateSetter: { $0 = $1 })
        }
    }

    @Test func `lifting by identity maps changes nothing`() {
        forAllReducers { all in
            all[0].lift(
                actionGetter: { (action: Int) in action }, stateGetter: { (state: [Int]) in state },
                stateSetter: { $0 = $1 })
        } equals: {
            $0[0]
        }
        forAllReducers { all in
            all[0].lift(state: \[Int].self)
        } equals: {
            $0[0]
        }
    }

    @Test func `lifting twice equals lifting by the composed maps`() {
        forAllReducers { all in
            Self.lifted(Self.lifted(all[0]))
        } equals: { all in
            all[0].lift(
                actionGetter: { (action: Int) in action.halfIfEven?.halfIfEven },
                stateGetter: { (state: [Int]) in state }, stateSetter: { $0 = $1 })
        }
    }

    @Test func `the plain function of a join is the functions one after the other`() {
        forAll { random in
            let reducers = (0..<2).map { _ in Self.random(&random) }
            let actions = random.numbers(0...9, upTo: 8)
            var (one, other): ([Int], [Int]) = ([], [])
            for action in actions {
                (reducers[0] <> reducers[1]).reduce(action, &one)
                reducers[0].reduce(action, &other)
                reducers[1].reduce(action, &other)
            }
            return (one, other)
        }
    }

    /// Lifted along both axes.
    private static func lifted(_ reducer: Numbers) -> Numbers {
        reducer.lift(action: \Int.halfIfEven, state: \[Int].itself)
    }
}

extension Int {
    /// Half of an even number, nil for odd ones.
    fileprivate var halfIfEven: Int? { isMultiple(of: 2) ? self / 2 : nil }
}

extension [Int] {
    /// The whole as a part.
    fileprivate var itself: [Int] {
        get { self }
        set { self = newValue }
    }
}
