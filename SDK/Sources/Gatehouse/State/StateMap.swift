// SPDX-License-Identifier: Apache-2.0

/// Maps getters through one function and remembers the last result, so that lifting allocates once, not per action.
@usableFromInline
struct StateMap<GlobalState, State> {
    /// From the whole to the part.
    @usableFromInline let transform: (GlobalState) -> State
    /// The getter seen last; held, so that its identity is not another's.
    @usableFromInline var whole: GetState<GlobalState>?
    /// The getter made for it.
    @usableFromInline var part: GetState<State>?

    /// A map with nothing remembered.
    @inlinable
    init(_ transform: @escaping (GlobalState) -> State) {
        self.transform = transform
    }

    /// The part's getter behind the given one.
    @inlinable
    mutating func callAsFunction(_ state: GetState<GlobalState>) -> GetState<State> {
        if let whole, whole.reader === state.reader, let part { return part }
        let made = state.map(transform)
        whole = state
        part = made
        return made
    }
}
