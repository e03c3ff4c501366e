// SPDX-License-Identifier: Apache-2.0

/// Maps getters through one function and caches the last result, so that lifting allocates once, not per action.
@usableFromInline
struct StateMap<GlobalState, State> {
    /// Maps the whole state to the part.
    @usableFromInline let transform: (GlobalState) -> State
    /// The last getter; retained, so that no other getter gets its identity.
    @usableFromInline var whole: GetState<GlobalState>?
    /// The getter made for `whole`.
    @usableFromInline var part: GetState<State>?

    /// Creates a map with an empty cache.
    @inlinable
    init(_ transform: @escaping (GlobalState) -> State) {
        self.transform = transform
    }

    /// Returns the part's getter for the given one.
    @inlinable
    mutating func callAsFunction(_ state: GetState<GlobalState>) -> GetState<State> {
        if let whole, whole.reader === state.reader, let part { return part }
        let made = state.map(transform)
        whole = state
        part = made
        return made
    }
}
