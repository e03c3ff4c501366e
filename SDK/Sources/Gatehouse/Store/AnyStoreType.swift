// SPDX-License-Identifier: Apache-2.0

/// A type-erased store, or projection of one; it keeps the store alive.
public struct AnyStoreType<ActionType: Sendable, StateType>: StoreType, ErasedActionHandler {
    /// Takes the actions, in the store's drain.
    @usableFromInline let handler: AnyActionHandler<ActionType>
    /// Provides the states.
    private let provider: AnyStateProvider<StateType>

    /// Creates a store that hides the type of another.
    public init<Store: StoreType<ActionType, StateType>>(_ store: Store) {
        self.init(action: store.eraseToAnyActionHandler(), state: store.eraseToAnyStateProvider())
    }

    /// Creates a store from a handler of actions and a provider of states.
    public init(action: AnyActionHandler<ActionType>, state: AnyStateProvider<StateType>) {
        handler = action
        provider = state
    }

    /// Creates a store from a closure for actions, called on the dispatching thread, and a provider of
    /// states.
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

/// A part of the program's view of a store; made by `projection(action:state:)`.
public typealias StoreProjection<ViewAction: Sendable, ViewState> = AnyStoreType<ViewAction, ViewState>
