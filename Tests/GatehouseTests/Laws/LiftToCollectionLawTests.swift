// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LiftToCollectionLawTests {
    typealias Element = LiftToCollectionMiddlewareTests.Lamp
    typealias Action = ElementIndexAction<Int, Int>
    typealias Part = AnyMiddleware<Int, Int, Element>

    /// Writes down what it sees of an element; answers as the steps say.
    private static func part(_ name: String, _ steps: [Int], _ trace: Trace) -> Part {
        Part { action, source, element in
            trace.add("\(name) \(action) at \(element().id) (\(element().level)) from \(source.file)")
            return IO { output in
                trace.add("\(name) io \(action) (\(element().level))")
                for step in steps where action > step {
                    output.dispatch(action - step, from: .named(name))
                }
            }
        }
    }

    private static func lifted<M: MiddlewareProtocol<Int, Int, Element>>(
        _ middleware: M
    ) -> AnyMiddleware<Action, Action, [Element]> {
        middleware.liftToCollection(
            inputAction: { (action: Action) in action }, outputAction: { $0 },
            state: { (elements: [Element]) in elements }
        ).eraseToAnyMiddleware()
    }

    /// Compares two middlewares of three elements, made of random parts of one.
    private func forAllParts(
        _ one: @escaping ([Part]) -> AnyMiddleware<Action, Action, [Element]>,
        equals other: @escaping ([Part]) -> AnyMiddleware<Action, Action, [Element]>
    ) {
        forAll { random in
            let steps = (0..<2).map { _ in random.numbers(1...3, upTo: 2) }
            let actions = (0..<random.number(1...4)).map { _ in
                Action(index: random.number(-1...3), action: random.number(0...6))
            }
            func run(_ make: ([Part]) -> AnyMiddleware<Action, Action, [Element]>) -> [String] {
                let trace = Trace()
                let parts = zip(["a", "b"], steps).map { Self.part($0, $1, trace) }
                let store = Store<Action, [Element]>(
                    initialState: ["x", "y", "z"].map { Element(id: $0, level: 0) },
                    reducer: Reducer<Int, Element>.reduce { $1.level = $1.level &* 7 &+ $0 }
                        .liftToCollection(action: \Action.asOption, stateCollection: \[Element].self),
                    middleware: make(parts))
                for action in actions { store.dispatch(action, from: .named("test")) }
                return trace.lines + store.withState { $0.map { "\($0)" } }
            }
            return (run(one), run(other))
        }
    }

    @Test func `lifting to a collection keeps composition`() {
        forAllParts { parts in
            Self.lifted(parts[0] <> parts[1])
        } equals: { parts in
            (Self.lifted(parts[0]) <> Self.lifted(parts[1])).eraseToAnyMiddleware()
        }
    }

    @Test func `lifting to a collection keeps identity`() {
        forAllParts { parts in
            (Self.lifted(IdentityMiddleware<Int, Int, Element>()) <> Self.lifted(parts[0]))
                .eraseToAnyMiddleware()
        } equals: {
            Self.lifted($0[0])
        }
    }

    @Test func `by key path equals by closures`() {
        forAllParts { parts in
            parts[0].liftToCollection(action: \Action.asOption, stateCollection: \[Element].self)
                .eraseToAnyMiddleware()
        } equals: {
            Self.lifted($0[0])
        }
    }
}

extension ElementIndexAction {
    /// The whole as a part that is always there.
    fileprivate var asOption: ElementIndexAction? {
        get { self }
        set { if let newValue { self = newValue } }
    }
}
