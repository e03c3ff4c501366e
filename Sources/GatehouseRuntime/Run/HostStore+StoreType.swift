// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

// The store as any code sees it that knows the core's stores.
extension HostStore {
    /// The state as one JSON value, or why a plugin's state cannot be written as one.
    package typealias StateType = Result<Value, CodingFailure>

    package var drain: Drain { queue }

    /// Takes an action from any thread; see `DrainQueue.dispatch(_:)`.
    ///
    /// The queue's code is specialized in the module that calls it, and calls the generation directly only in the generation's own.
    package func dispatch(_ dispatched: DispatchedAction<AnyAction>) { queue.dispatch(dispatched) }

    /// Takes an action on behalf of a place; the form of all handlers would make a value of it first.
    package func dispatch(_ action: AnyAction, from source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source))
    }

    /// Takes an action that was read from a line, which says in which column a payload is wrong while the action is processed
    /// at once.
    package func dispatch(_ action: AnyAction, read text: ActionText, from source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source)) { $0.isReading(text, of: source) }
    }

    /// Takes an action that was read from a place whose text is not known any more.
    package func dispatch(_ action: AnyAction, readFrom source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source)) { $0.isReading(source) }
    }

    package func read(_ body: (Result<Value, CodingFailure>) -> Void) {
        queue.withExclusiveAccess { body(written) }
    }

    package func observe(
        _ policy: ShouldEmitValue<Result<Value, CodingFailure>>,
        _ observer: @escaping @Sendable (Result<Value, CodingFailure>) -> Void
    ) -> Subscription {
        let added = StateObservers.Observer(policy, observer)
        let number = queue.withExclusiveAccess { observers.add(added, to: written) }
        return Subscription { [weak self] in
            added.end()
            self?.queue.enqueue { [weak self] in
                let removed = self?.observers.remove(number)
                withExtendedLifetime(removed) {}
            }
        }
    }

    /// The state as it is, written; called in the drain.
    private var written: Result<Value, CodingFailure> {
        Result { () throws(CodingFailure) in try state.state.snapshot() }
    }

    /// Calls the observers after a change; called in the drain. Apart, so that the way of an action needs no room for it.
    @inline(never)
    func tellObservers() {
        guard !observers.isEmpty else { return }
        let state = written
        let previous = observers.note(state)
        // A copy: an observer may add others.
        for observer in observers.inOrder { observer.tell(state, after: previous) }
    }
}
