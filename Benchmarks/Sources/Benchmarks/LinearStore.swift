// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The shape of SwiftRex 0.8, written as well as that shape allows: every action is offered to every lifted middleware in
/// turn with its source and a state getter; erased middlewares, getters, handlers and IOs are closures; the IOs run last
/// to first.
///
/// What SwiftRex does beside it is left out, in its favour: asking whether this is the main queue, and publishing the
/// state through a subject.
final class LinearStore {
    /// An action for one of many children.
    enum Action: Sendable {
        case child(Int, Child)
    }

    /// The actions of a child.
    enum Child: Sendable {
        case ping
    }

    /// Takes what an IO emits.
    struct Handler<Output> {
        let dispatch: (DispatchedAction<Output>) -> Void

        func contramap<Inner>(_ transform: @escaping (Inner) -> Output) -> Handler<Inner> {
            Handler<Inner> { dispatch($0.map(transform)) }
        }
    }

    /// Work for after the reducers.
    struct Work<Output> {
        let run: (Handler<Output>) -> Void

        static var pure: Work { Work { _ in } }

        func map<Outer>(_ transform: @escaping (Output) -> Outer) -> Work<Outer> {
            Work<Outer> { run($0.contramap(transform)) }
        }

        static func <> (lhs: Work, rhs: Work) -> Work {
            Work { output in
                lhs.run(output)
                rhs.run(output)
            }
        }
    }

    /// A middleware whose type is hidden in a closure.
    struct Middleware<Input, Output, State> {
        let handle: (Input, ActionSource, @escaping () -> State) -> Work<Output>
    }

    private var state = 0
    private let reduce: (Action, inout Int) -> Void
    private let middleware: Middleware<Action, Action, Int>

    /// A store over `count` lifted middlewares, each of which listens to an action of its own.
    init(count: Int) {
        middleware = Self.compose((0..<count).map { Self.lift(Self.listener(), index: $0) })
        reduce = { _, _ in }
    }

    /// Processes the action on the caller's thread, before it returns.
    func dispatch(_ dispatched: DispatchedAction<Action>) {
        let work = middleware.handle(dispatched.action, dispatched.dispatcher) { [unowned self] in state }
        reduce(dispatched.action, &state)
        work.run(Handler { [unowned self] in dispatch($0) })
    }

    private static func listener() -> Middleware<Child, Child, Int> {
        Middleware { _, _, _ in .pure }
    }

    private static func lift(_ child: Middleware<Child, Child, Int>, index: Int) -> Middleware<
        Action, Action, Int
    > {
        let inputAction: (Action) -> Child? = { action in
            guard case .child(index, let local) = action else { return nil }
            return local
        }
        let outputAction: (Child) -> Action = { .child(index, $0) }
        let stateMap: (Int) -> Int = { $0 }
        return Middleware { action, dispatcher, state in
            guard let local = inputAction(action) else { return .pure }
            return child.handle(local, dispatcher) { stateMap(state()) }.map(outputAction)
        }
    }

    private static func compose(_ middlewares: [Middleware<Action, Action, Int>]) -> Middleware<
        Action, Action, Int
    > {
        Middleware { action, dispatcher, state in
            middlewares.reduce(.pure) { work, middleware in
                middleware.handle(action, dispatcher, state) <> work
            }
        }
    }
}
