// SPDX-License-Identifier: Apache-2.0

/// Maps getters through one function and remembers the last result, so that lifting allocates once, not per action.
@usableFromInline
struct StateMap<GlobalState, State> {
    /// From the whole to the part.
    @usableFromInline let transform: (GlobalState) -> State
    /// The identity of the getter seen last.
    @usableFromInline var identity: AnyObject?
    /// The getter made for it.
    @usableFromInline var getter: GetState<State>?

    /// A map with nothing remembered.
    @inlinable
    init(_ transform: @escaping (GlobalState) -> State) {
        self.transform = transform
    }

    /// The part's getter behind the given one.
    @inlinable
    mutating func callAsFunction(_ state: GetState<GlobalState>) -> GetState<State> {
        if identity === state.identity, let getter { return getter }
        let made = state.map(transform)
        identity = state.identity
        getter = made
        return made
    }
}
