// SPDX-License-Identifier: Apache-2.0

/// The shape that SwiftRex 0.8 has, written as well as that shape allows: every action is offered to every lifted
/// middleware in turn, state getters and IOs are closures, and the IOs run last to first.
///
/// What SwiftRex does beside it (publishing through a subject, asking for the main queue) is left out, in its favour.
final class LinearStore {
    /// An action for one of many children.
    enum Action {
        case child(Int, Child)
    }

    /// The actions of a child.
    enum Child {
        case ping
    }

    typealias IO = ((Action) -> Void) -> Void

    /// A middleware whose type is hidden in a closure.
    struct Middleware {
        let handle: (Action, @escaping () -> Int) -> IO
    }

    private var state = 0
    private let reduce: (Action, inout Int) -> Void
    private let middleware: Middleware

    /// A store over `count` lifted middlewares of which the last listens to the action that `ping` dispatches.
    init(count: Int) {
        middleware = Self.compose((0..<count).map { Self.lift(Self.listener(), index: $0) })
        reduce = { _, _ in }
    }

    /// Dispatches the action that one middleware listens to.
    func ping(_ index: Int) { dispatch(.child(index, .ping)) }

    func dispatch(_ action: Action) {
        let io = middleware.handle(action) { [unowned self] in state }
        reduce(action, &state)
        io { self.dispatch($0) }
    }

    private static func listener() -> (Child, @escaping () -> Int) -> ((Child) -> Void) -> Void {
        { _, _ in { _ in } }
    }

    private static func lift(
        _ child: @escaping (Child, @escaping () -> Int) -> ((Child) -> Void) -> Void, index: Int
    ) -> Middleware {
        let inputAction: (Action) -> Child? = { action in
            guard case .child(index, let local) = action else { return nil }
            return local
        }
        let outputAction: (Child) -> Action = { .child(index, $0) }
        let stateMap: (Int) -> Int = { $0 }
        return Middleware { action, state in
            guard let local = inputAction(action) else { return { _ in } }
            let io = child(local) { stateMap(state()) }
            return { output in io { output(outputAction($0)) } }
        }
    }

    private static func compose(_ middlewares: [Middleware]) -> Middleware {
        Middleware { action, state in
            middlewares.reduce({ _ in }) { done, middleware in
                let io = middleware.handle(action, state)
                return { output in
                    io(output)
                    done(output)
                }
            }
        }
    }
}
