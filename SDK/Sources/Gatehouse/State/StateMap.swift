// SPDX-License-Identifier: Apache-2.0

/// Maps getters through one function and remembers the last result, so that lifting allocates once, not per action.
@usableFromInline
struct StateMap<GlobalState, State> {
    /// From the whole to the part.
    @usableFromInline let transform: (GlobalState) -> State
    /// The source made for the getter seen last.
    @usableFromInline var cached: MappedStateSource<GlobalState, State>?

    /// A map with nothing remembered.
    @inlinable
    init(_ transform: @escaping (GlobalState) -> State) {
        self.transform = transform
    }

    /// The part's getter behind the given one.
    @inlinable
    mutating func callAsFunction(_ state: GetState<GlobalState>) -> GetState<State> {
        if let cached, cached.parent === state.source { return GetState(cached) }
        let source = MappedStateSource(parent: state.source, transform: transform)
        cached = source
        return GetState(source)
    }
}
