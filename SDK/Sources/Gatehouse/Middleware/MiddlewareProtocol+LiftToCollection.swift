// SPDX-License-Identifier: Apache-2.0

/// The concept is on `LiftToCollectionMiddleware`.
extension MiddlewareProtocol where StateType: Identifiable, StateType.ID: Sendable {
    /// Fits the middleware to a collection whose elements are found by id; the first one with the id counts.
    @inlinable
    public func liftToCollection<
        GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType,
        CollectionState: Collection<StateType>
    >(
        inputAction inputActionMap:
            @escaping (GlobalInputActionType) -> ElementIDAction<StateType.ID, InputActionType>?,
        outputAction outputActionMap:
            @escaping (ElementIDAction<StateType.ID, OutputActionType>) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> CollectionState
    ) -> LiftToCollectionMiddleware<
        GlobalInputActionType, GlobalOutputActionType, GlobalStateType, StateType.ID, Self
    > {
        LiftToCollectionMiddleware(
            self, inputAction: { inputActionMap($0).map { ($0.id, $0.action) } },
            outputAction: { outputActionMap(ElementIDAction(id: $0, action: $1)) },
            element: { state, id in stateMap(state).first { $0.id == id } })
    }

    /// Fits the middleware to a collection whose elements are found by id, by key paths.
    ///
    /// An output is the action that it answers, with the output written at the key path.
    @inlinable
    public func liftToCollection<
        GlobalAction: Sendable, GlobalStateType, CollectionState: Collection<StateType>
    >(
        action: WritableKeyPath<GlobalAction, ElementIDAction<StateType.ID, InputActionType>?>,
        stateCollection: KeyPath<GlobalStateType, CollectionState>
    ) -> LiftToCollectionMiddleware<
        GlobalAction, GlobalAction, GlobalStateType, ElementOrigin<GlobalAction, StateType.ID>, Self
    > where InputActionType == OutputActionType {
        LiftToCollectionMiddleware(
            self,
            inputAction: { global in
                global[keyPath: action].map { (ElementOrigin(action: global, key: $0.id), $0.action) }
            },
            outputAction: { origin, output in
                var global = origin.action
                global[keyPath: action] = ElementIDAction(id: origin.key, action: output)
                return global
            },
            element: { state, origin in
                state[keyPath: stateCollection].first { $0.id == origin.key }
            })
    }
}

extension MiddlewareProtocol {
    /// Fits the middleware to a collection whose elements are found by index.
    ///
    /// When elements are inserted or removed, a later read sees what is at the index by then.
    @inlinable
    public func liftToCollection<
        GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType,
        CollectionState: Collection<StateType>
    >(
        inputAction inputActionMap:
            @escaping (GlobalInputActionType) -> ElementIndexAction<CollectionState.Index, InputActionType>?,
        outputAction outputActionMap:
            @escaping (ElementIndexAction<CollectionState.Index, OutputActionType>) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> CollectionState
    ) -> LiftToCollectionMiddleware<
        GlobalInputActionType, GlobalOutputActionType, GlobalStateType, CollectionState.Index, Self
    > where CollectionState.Index: Sendable {
        LiftToCollectionMiddleware(
            self, inputAction: { inputActionMap($0).map { ($0.index, $0.action) } },
            outputAction: { outputActionMap(ElementIndexAction(index: $0, action: $1)) },
            element: { state, index in
                let collection = stateMap(state)
                return collection.hasElement(at: index) ? collection[index] : nil
            })
    }
}

extension MiddlewareProtocol where InputActionType == OutputActionType {
    /// Fits the middleware to a collection whose elements are found by index, by key paths.
    ///
    /// An output is the action that it answers, with the output written at the key path.
    @inlinable
    public func liftToCollection<
        GlobalAction: Sendable, GlobalStateType, CollectionState: Collection<StateType>
    >(
        action: WritableKeyPath<GlobalAction, ElementIndexAction<CollectionState.Index, InputActionType>?>,
        stateCollection: KeyPath<GlobalStateType, CollectionState>
    ) -> LiftToCollectionMiddleware<
        GlobalAction, GlobalAction, GlobalStateType, ElementOrigin<GlobalAction, CollectionState.Index>, Self
    > where CollectionState.Index: Sendable {
        LiftToCollectionMiddleware(
            self,
            inputAction: { global in
                global[keyPath: action].map { (ElementOrigin(action: global, key: $0.index), $0.action) }
            },
            outputAction: { origin, output in
                var global = origin.action
                global[keyPath: action] = ElementIndexAction(index: origin.key, action: output)
                return global
            },
            element: { state, origin in
                let collection = state[keyPath: stateCollection]
                return collection.hasElement(at: origin.key) ? collection[origin.key] : nil
            })
    }
}

/// The element that an action was for, and the action itself.
public struct ElementOrigin<GlobalAction: Sendable, Key: Sendable>: Sendable {
    /// What was handled.
    @usableFromInline let action: GlobalAction
    /// Names the element.
    @usableFromInline let key: Key

    /// Remembers the action as it was before it was lifted.
    @inlinable
    init(action: GlobalAction, key: Key) {
        self.action = action
        self.key = key
    }
}
