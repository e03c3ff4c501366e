// SPDX-License-Identifier: Apache-2.0

extension StoreType {
    /// Returns this store as a part of the program sees it: other actions, another state, nothing stored.
    ///
    /// Both maps run in the drain. A view action that maps to nil is dropped; the others keep their source. Observers
    /// receive every change of the store, even if the projected states are equal, unless their policy compares. The
    /// projection keeps the store alive. Projections may be projected.
    public func projection<ViewAction: Sendable, ViewState>(
        action viewActionToGlobalAction: @escaping @Sendable (ViewAction) -> ActionType?,
        state globalStateToViewState: @escaping @Sendable (StateType) -> ViewState
    ) -> StoreProjection<ViewAction, ViewState> {
        let parent = eraseToAnyActionHandler().sink
        let sink = ActionSink<ViewAction>(before: parent) { dispatched in
            if let mapped = dispatched.compactMap(viewActionToGlobalAction) { parent.emit(mapped) }
        }
        return StoreProjection(action: AnyActionHandler(sink), state: map(globalStateToViewState))
    }

    /// Returns this store for other actions, each mapped in the drain.
    public func contramapAction<NewActionType: Sendable>(
        _ transform: @escaping @Sendable (NewActionType) -> ActionType
    ) -> AnyStoreType<NewActionType, StateType> {
        projection(action: transform, state: { $0 })
    }

    /// Returns this store with its state seen through a map, which runs in the drain.
    public func mapState<NewStateType>(
        _ transform: @escaping @Sendable (StateType) -> NewStateType
    ) -> AnyStoreType<ActionType, NewStateType> {
        AnyStoreType(action: eraseToAnyActionHandler(), state: map(transform))
    }

    /// Returns this store with its type hidden.
    public func eraseToAnyStoreType() -> AnyStoreType<ActionType, StateType> { AnyStoreType(self) }
}
