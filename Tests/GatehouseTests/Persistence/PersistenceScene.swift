// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// A store over a controller, whose actions the test awaits one after the other.
final class PersistenceScene<Controller: PersistenceController> {
    typealias Action = Controller.Action

    /// Runs middleware and reducer.
    let store: Store<Action, Controller.State>
    private var actions: AsyncStream<DispatchedAction<Action>>.Iterator

    /// A store with nothing stored.
    ///
    /// - Parameter reducer: follows the actions in place of the controller's own.
    init(_ controller: Controller, reducer: Reducer<Action, Controller.State>? = nil) {
        let (stream, continuation) = AsyncStream<DispatchedAction<Action>>.makeStream()
        let middleware =
            AnyMiddleware<Action, Action, Controller.State> { action, source, _ in
                continuation.yield(DispatchedAction(action, dispatcher: source))
                return .pure()
            } <> controller.makeMiddleware()
        let parts = StoreParts(
            initialState: Controller.State.initial, reducer: reducer ?? Controller.makeReducer(),
            middleware: middleware)
        store = Store(UnsafeShare(parts).value)
        actions = stream.makeAsyncIterator()
    }

    /// Dispatches from a place with a name, and waits until the action is seen.
    func send(_ action: Action, from name: String = "test") async {
        store.dispatch(action, from: .named(name))
        _ = await next()
    }

    /// The next action that the store processes, with its source.
    func next() async -> DispatchedAction<Action>? { await actions.next(isolation: #isolation) }

    /// The state after all actions so far.
    var state: Controller.State { store.state }
}
