// SPDX-License-Identifier: Apache-2.0

public import Observation
private import Synchronization

/// A store, usually a projection, with a `state` that can be read at any time and observed by the Observation framework.
///
/// `state` follows the store from the drain: a change is announced on the draining thread, before the assignment, to those
/// who read `state` in `withObservationTracking`. It holds the store; the store does not hold it.
public final class ObservableViewModel<ViewAction: Sendable, ViewState: Sendable>: StoreType, Observable,
    ErasedActionHandler
{
    /// The handler that takes the view's actions.
    @usableFromInline let handler: AnyActionHandler<ViewAction>
    /// The provider that gives the view's states.
    private let provider: AnyStateProvider<ViewState>
    /// The state that was let through last.
    private let current: Lock<ViewState>
    /// The subscription by which the view model follows the store.
    private let subscription = Lock<Subscription?>(nil)
    /// The registrar that knows who observes the state.
    private let registrar = ObservationRegistrar()

    /// Follows a store from here on.
    ///
    /// - Parameters:
    ///   - initialState: replaced at once, before this returns, by the state that the store has.
    ///   - store: what is followed; held as long as this lives.
    ///   - emitsValue: which later changes are taken over; given the store's states before and after each change.
    public init<S: StoreType<ViewAction, ViewState>>(
        initialState: ViewState, store: S, emitsValue: ShouldEmitValue<ViewState>
    ) {
        handler = store.eraseToAnyActionHandler()
        provider = store.eraseToAnyStateProvider()
        current = Lock(initialState)
        provider.read { state in
            current.withLock { $0 = state }
            let subscription = provider.observe(emitsValue) { [weak self] in self?.take($0) }
            self.subscription.withLock { $0 = subscription }
        }
    }

    /// Follows a store from here on, taking over the changes that make a difference.
    public convenience init<S: StoreType<ViewAction, ViewState>>(initialState: ViewState, store: S)
    where ViewState: Equatable {
        self.init(initialState: initialState, store: store, emitsValue: .whenDifferent)
    }

    /// The state that was let through last; callable from any thread, never waits for the store.
    public var state: ViewState {
        registrar.access(self, keyPath: \.state)
        return current.withLock { $0 }
    }

    /// Takes over a state; called in the drain.
    private func take(_ state: ViewState) {
        registrar.withMutation(of: self, keyPath: \.state) {
            let before = current.withLock { current in
                let before = current
                current = state
                return before
            }
            // Goes after the lock: what a state does when it goes may come back here.
            withExtendedLifetime(before) {}
        }
    }

    public func dispatch(_ dispatchedAction: DispatchedAction<ViewAction>) {
        handler.dispatch(dispatchedAction)
    }

    public func observe(
        _ policy: ShouldEmitValue<ViewState>, _ observer: @escaping @Sendable (ViewState) -> Void
    ) -> Subscription {
        provider.observe(policy, observer)
    }

    public func read(_ body: (ViewState) -> Void) { provider.read(body) }
}

extension StoreType where ActionType: Sendable, StateType: Sendable {
    /// An observable view of this store; see `ObservableViewModel`.
    public func asObservableViewModel(
        initialState: StateType, emitsValue: ShouldEmitValue<StateType>
    ) -> ObservableViewModel<ActionType, StateType> {
        ObservableViewModel(initialState: initialState, store: self, emitsValue: emitsValue)
    }

    /// An observable view of this store that takes over the changes that make a difference.
    public func asObservableViewModel(
        initialState: StateType
    ) -> ObservableViewModel<ActionType, StateType> where StateType: Equatable {
        ObservableViewModel(initialState: initialState, store: self)
    }
}

extension ObservableViewModel {
    /// A view model with a store of its own, for previews and tests of what shows it.
    ///
    /// - Parameters:
    ///   - state: shown before the first action.
    ///   - action: applied to the state for each action, with the action's source; every action counts as a change.
    public static func mock(
        state: sending ViewState,
        action: sending @escaping (ViewAction, ActionSource, inout ViewState) -> Void
    ) -> ObservableViewModel {
        let initialState = state
        let store = Store<DispatchedAction<ViewAction>, ViewState>(
            initialState: initialState,
            reducer: .reduce { dispatched, state in action(dispatched.action, dispatched.dispatcher, &state) }
        )
        let sink = store.eraseToAnyActionHandler().sink
        let handler = AnyActionHandler<ViewAction>(
            ActionSink(before: sink) { dispatched in
                withExtendedLifetime(store) {
                    sink.emit(DispatchedAction(dispatched, dispatcher: dispatched.dispatcher))
                }
            })
        return ObservableViewModel(
            initialState: initialState,
            store: AnyStoreType(action: handler, state: store.eraseToAnyStateProvider()), emitsValue: .always)
    }
}
