// SPDX-License-Identifier: Apache-2.0

/// Reads through a map; the map runs once for each read.
@usableFromInline
final class MappedStateSource<GlobalState, State>: StateSource<State> {
    /// Read first.
    @usableFromInline let parent: StateSource<GlobalState>
    /// Applied to what the parent gives.
    @usableFromInline let transform: (GlobalState) -> State

    /// A source behind another.
    @inlinable
    init(parent: StateSource<GlobalState>, transform: @escaping (GlobalState) -> State) {
        self.parent = parent
        self.transform = transform
    }

    @inlinable
    override func read() -> State { transform(parent.read()) }
}
