// SPDX-License-Identifier: Apache-2.0

public import Observation
private import Synchronization

/// A store, usually a projection, with a `state` that can be read at any time and observed by the Observation framework.
///
/// `state` follows the store from the drain: readers of `state` in `withObservationTracking` are notified of a change on
/// the draining thread, before the assignment. It retains the store; the store does not retain it.
public final class ObservableViewModel<ViewAction: Sendable, ViewState: Sendable>: StoreType, Observable,
    ErasedActionHandler
{
    /// Takes the view's actions.
    @usableFromInline let handler: AnyActionHandler<ViewAction>
    /// Provides the view's states.
    private let provider: AnyStateProvider<ViewState>
    /// The last state that the policy admitted.
    private let current: Lock<ViewState>
    /// The subscription to the store.
    private let subscription = Lock<Subscription?>(nil)
    /// Tracks the observers of the state.
    private let registrar = ObservationRegistrar()

    /// Creates a view model that follows a store from now on.
    ///
    /// - Parameters:
    ///   - initialState: replaced by the store's state before this returns.
    ///   - store: the store to follow; retained as long as this lives.
    ///   - emitsValue: selects later changes; called with the store's states before and after each change.
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

    /// Creates a view model that follows a store from now on, ignoring changes to an equal state.
    public convenience init<S: StoreType<ViewAction, ViewState>>(initialState: ViewState, store: S)
    where ViewState: Equatable {
        self.init(initialState: initialState, store: store, emitsValue: .whenDifferent)
    }

    /// The last state that the policy admitted; callable from any thread, never waits for the store.
    public var state: ViewState {
        registrar.access(self, keyPath: \.state)
        return current.withLock { $0 }
    }

    /// Takes over a state; called in the drain.
    private func take(_ state: ViewState) {
        registrar.withMutation(of: self, keyPath: \.state) {
            // The old state leaves the lock before it is released: its deinitialization may call back here.
            _ = current.withLock { exchange(&$0, with: state) }
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
    /// Returns an observable view of this store; see `ObservableViewModel`.
    public func asObservableViewModel(
        initialState: StateType, emitsValue: ShouldEmitValue<StateType>
    ) -> ObservableViewModel<ActionType, StateType> {
        ObservableViewModel(initialState: initialState, store: self, emitsValue: emitsValue)
    }

    /// Returns an observable view of this store that ignores changes to an equal state.
    public func asObservableViewModel(
        initialState: StateType
    ) -> ObservableViewModel<ActionType, StateType> where StateType: Equatable {
        ObservableViewModel(initialState: initialState, store: self)
    }
}

extension ObservableViewModel {
    /// Returns a view model with its own store, for previews and tests of views.
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
