// SPDX-License-Identifier: Apache-2.0

/// Maps getters through one function and remembers the last result, so that lifting allocates once, not per action.
@usableFromInline
struct StateMap<GlobalState, State> {
    /// From the whole to the part.
    @usableFromInline let transform: (GlobalState) -> State
    /// The getter seen last, by its identity, and the one made for it.
    @usableFromInline var last: (identity: AnyObject, getter: GetState<State>)?

    /// A map with nothing remembered.
    @inlinable
    init(_ transform: @escaping (GlobalState) -> State) {
        self.transform = transform
    }

    /// The part's getter behind the given one.
    @inlinable
    mutating func callAsFunction(_ state: GetState<GlobalState>) -> GetState<State> {
        if let last, last.identity === state.identity { return last.getter }
        let getter = state.map(transform)
        last = (state.identity, getter)
        return getter
    }
}
