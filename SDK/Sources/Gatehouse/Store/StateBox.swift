// SPDX-License-Identifier: Apache-2.0

/// Holds a store's state; touched only in the drain.
@usableFromInline
final class StateBox<State> {
    /// The state as it is now.
    @usableFromInline var state: State
    /// Whether a reducer is changing the state at this moment.
    @usableFromInline var isReducing = false

    /// Takes over the initial state.
    @inlinable
    init(_ state: State) {
        self.state = state
    }

    /// The state for readers that may be called from anywhere in the drain; traps inside a reducer, which holds the
    /// state for itself.
    @inlinable var current: State {
        precondition(
            !isReducing,
            "a reducer must not read the state of its own store; it is given the state it changes")
        return state
    }

    /// Applies a reducer in place.
    @inlinable
    func reduce<Action>(_ action: Action, by reducer: Reducer<Action, State>) -> StateChange {
        isReducing = true
        let change = reducer.apply(action, &state)
        isReducing = false
        return change
    }
}
