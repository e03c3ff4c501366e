// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReducerLiftToCollectionTests {
    /// An element with an id of another name.
    struct Entry: Equatable {
        let name: String
        var values: [Int] = []
    }

    /// What the whole does.
    struct Action {
        var named: ElementIDAction<String, Int>?
        var placed: ElementIndexAction<Int, Int>?
    }

    /// Lifted by a property, and by index.
    private static func lifted(_ reducer: Reducer<Int, Entry>) -> Reducer<Action, [Entry]> {
        reducer.liftToCollection(action: \Action.named, stateCollection: \[Entry].itself, identifier: \.name)
            <> reducer.liftToCollection(action: \Action.placed, stateCollection: \[Entry].itself)
    }

    @Test func `an element is reduced in place, an unknown one changes nothing`() {
        let reducer = Self.lifted(.reduce { $1.values.append($0) })
        var entries = [Entry(name: "a"), Entry(name: "b")]
        #expect(reducer.apply(Action(named: ElementIDAction(id: "b", action: 1)), &entries) == .changed)
        #expect(reducer.apply(Action(placed: ElementIndexAction(index: 0, action: 2)), &entries) == .changed)
        #expect(reducer.apply(Action(named: ElementIDAction(id: "c", action: 3)), &entries) == .unchanged)
        #expect(
            reducer.apply(Action(placed: ElementIndexAction(index: 2, action: 4)), &entries) == .unchanged)
        #expect(
            reducer.apply(Action(placed: ElementIndexAction(index: -1, action: 4)), &entries) == .unchanged)
        #expect(reducer.apply(Action(), &entries) == .unchanged)
        #expect(entries == [Entry(name: "a", values: [2]), Entry(name: "b", values: [1])])
    }

    @Test func `what the element's reducer reports is reported`() {
        let reducer = Self.lifted(.reducing { action, _ in action == 0 ? .unchanged : .changed })
        var entries = [Entry(name: "a")]
        #expect(reducer.apply(Action(named: ElementIDAction(id: "a", action: 0)), &entries) == .unchanged)
        #expect(reducer.apply(Action(named: ElementIDAction(id: "a", action: 1)), &entries) == .changed)
    }

    @Test func `lifting to a collection keeps joining and identity`() {
        func run(
            _ random: SeededGenerator,
            _ make: (Reducer<Int, Entry>, Reducer<Int, Entry>) -> Reducer<Action, [Entry]>
        ) -> [Entry] {
            var random = random
            let reducers = (0..<2).map { _ in
                let factor = random.number(2...9)
                return Reducer<Int, Entry>.reduce { $1.values = $1.values.map { $0 &* factor } + [$0] }
            }
            var entries = ["a", "b", "a"].map { Entry(name: $0) }
            let reducer = make(reducers[0], reducers[1])
            for _ in 0..<random.number(1...6) {
                let number = random.number(0...9)
                let action =
                    number % 2 == 0
                    ? Action(
                        named: ElementIDAction(id: ["a", "b", "c"][random.number(0...2)], action: number))
                    : Action(placed: ElementIndexAction(index: random.number(-1...3), action: number))
                reducer.reduce(action, &entries)
            }
            return entries
        }
        forAll { random in
            (
                run(random) { Self.lifted($0 <> .identity <> $1) },
                run(random) { one, two in
                    one.liftToCollection(
                        action: \Action.named, stateCollection: \[Entry].itself, identifier: \.name)
                        <> two.liftToCollection(
                            action: \Action.named, stateCollection: \[Entry].itself, identifier: \.name)
                        <> one.liftToCollection(action: \Action.placed, stateCollection: \[Entry].itself)
                        <> two.liftToCollection(action: \Action.placed, stateCollection: \[Entry].itself)
                        <> Self.lifted(.identity)
                }
            )
        }
    }
}

extension [ReducerLiftToCollectionTests.Entry] {
    /// The whole as a part.
    fileprivate var itself: Self {
        get { self }
        set { self = newValue }
    }
}
