// SPDX-License-Identifier: Apache-2.0

/// Fits readers of a middleware of an element to a collection; the concept is on `LiftToCollectionMiddleware`.
extension MiddlewareReaderProtocol
where MiddlewareType.StateType: Identifiable, MiddlewareType.StateType.ID: Sendable {
    /// Finds the elements by id; the first one with the id counts.
    @inlinable
    public func liftToCollection<
        GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType,
        CollectionState: Collection<MiddlewareType.StateType>
    >(
        inputAction inputActionMap:
            @escaping (GlobalInputActionType) -> ElementIDAction<
                MiddlewareType.StateType.ID, MiddlewareType.InputActionType
            >?,
        outputAction outputActionMap:
            @escaping (ElementIDAction<MiddlewareType.StateType.ID, MiddlewareType.OutputActionType>) ->
            GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> CollectionState
    ) -> MiddlewareReader<
        Dependencies,
        LiftToCollectionMiddleware<
            GlobalInputActionType, GlobalOutputActionType, GlobalStateType, MiddlewareType.StateType.ID,
            MiddlewareType
        >
    > {
        mapMiddleware {
            $0.liftToCollection(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Finds the elements by id, by key paths; an output is the action that it answers, with the output written in.
    @inlinable
    public func liftToCollection<
        GlobalAction: Sendable, GlobalStateType, CollectionState: Collection<MiddlewareType.StateType>
    >(
        action: WritableKeyPath<
            GlobalAction, ElementIDAction<MiddlewareType.StateType.ID, MiddlewareType.InputActionType>?
        >,
        stateCollection: KeyPath<GlobalStateType, CollectionState>
    ) -> MiddlewareReader<
        Dependencies,
        LiftToCollectionMiddleware<
            GlobalAction, GlobalAction, GlobalStateType,
            ElementOrigin<GlobalAction, MiddlewareType.StateType.ID>, MiddlewareType
        >
    > where MiddlewareType.InputActionType == MiddlewareType.OutputActionType {
        mapMiddleware { $0.liftToCollection(action: action, stateCollection: stateCollection) }
    }
}

extension MiddlewareReaderProtocol {
    /// Finds the elements by index.
    @inlinable
    public func liftToCollection<
        GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType,
        CollectionState: Collection<MiddlewareType.StateType>
    >(
        inputAction inputActionMap:
            @escaping (GlobalInputActionType) -> ElementIndexAction<
                CollectionState.Index, MiddlewareType.InputActionType
            >?,
        outputAction outputActionMap:
            @escaping (ElementIndexAction<CollectionState.Index, MiddlewareType.OutputActionType>) ->
            GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> CollectionState
    ) -> MiddlewareReader<
        Dependencies,
        LiftToCollectionMiddleware<
            GlobalInputActionType, GlobalOutputActionType, GlobalStateType, CollectionState.Index,
            MiddlewareType
        >
    > where CollectionState.Index: Sendable {
        mapMiddleware {
            $0.liftToCollection(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Finds the elements by index, by key paths; an output is the action that it answers, with the output written in.
    @inlinable
    public func liftToCollection<
        GlobalAction: Sendable, GlobalStateType, CollectionState: Collection<MiddlewareType.StateType>
    >(
        action: WritableKeyPath<
            GlobalAction, ElementIndexAction<CollectionState.Index, MiddlewareType.InputActionType>?
        >,
        stateCollection: KeyPath<GlobalStateType, CollectionState>
    ) -> MiddlewareReader<
        Dependencies,
        LiftToCollectionMiddleware<
            GlobalAction, GlobalAction, GlobalStateType,
            ElementOrigin<GlobalAction, CollectionState.Index>, MiddlewareType
        >
    >
    where
        MiddlewareType.InputActionType == MiddlewareType.OutputActionType, CollectionState.Index: Sendable
    {
        mapMiddleware { $0.liftToCollection(action: action, stateCollection: stateCollection) }
    }
}
