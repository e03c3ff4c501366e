// SPDX-License-Identifier: Apache-2.0

/// Holds a store's state; touched only in the drain.
@usableFromInline
final class StateBox<State> {
    /// The state as it is now.
    @usableFromInline var state: State

    /// Takes over the initial state.
    @inlinable
    init(_ state: State) {
        self.state = state
    }
}
