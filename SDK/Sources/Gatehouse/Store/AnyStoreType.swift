// SPDX-License-Identifier: Apache-2.0

/// A store, or a projection of one, whose concrete type is hidden; it keeps the store alive.
public struct AnyStoreType<ActionType: Sendable, StateType>: StoreType, ErasedActionHandler {
    /// Takes the actions, in the store's drain.
    @usableFromInline let handler: AnyActionHandler<ActionType>
    /// The provider that gives the states.
    private let provider: AnyStateProvider<StateType>

    /// Hides the type of another store.
    public init<Store: StoreType<ActionType, StateType>>(_ store: Store) {
        self.init(action: store.eraseToAnyActionHandler(), state: store.eraseToAnyStateProvider())
    }

    /// A store made of a place for actions and a source of states.
    public init(action: AnyActionHandler<ActionType>, state: AnyStateProvider<StateType>) {
        handler = action
        provider = state
    }

    /// A store made of a closure for actions, called on the dispatching thread, and a source of states.
    public init(
        action: @escaping @Sendable (DispatchedAction<ActionType>) -> Void, state: AnyStateProvider<StateType>
    ) {
        self.init(action: AnyActionHandler(action), state: state)
    }

    public func dispatch(_ dispatchedAction: DispatchedAction<ActionType>) {
        handler.dispatch(dispatchedAction)
    }

    public func observe(
        _ policy: ShouldEmitValue<StateType>, _ observer: @escaping @Sendable (StateType) -> Void
    ) -> Subscription {
        provider.observe(policy, observer)
    }

    public func read(_ body: (StateType) -> Void) { provider.read(body) }
}

/// A store as a part of the program sees it; made by `projection(action:state:)`.
public typealias StoreProjection<ViewAction: Sendable, ViewState> = AnyStoreType<ViewAction, ViewState>
