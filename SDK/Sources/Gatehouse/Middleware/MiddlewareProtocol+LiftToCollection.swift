// SPDX-License-Identifier: Apache-2.0

/// Lifts to a collection; see `LiftToCollectionMiddleware`.
extension MiddlewareProtocol where StateType: Identifiable, StateType.ID: Sendable {
    /// Fits the middleware to a collection whose elements are found by id; the first one with the id counts.
    @inlinable
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIDAction<StateType.ID, InputActionType>?,
        outputAction: @escaping (ElementIDAction<StateType.ID, OutputActionType>) -> GlobalOutput,
        state: @escaping (GlobalState) -> Elements
    ) -> LiftToCollectionMiddleware<GlobalInput, GlobalOutput, GlobalState, StateType.ID, Self> {
        LiftToCollectionMiddleware(
            self, inputAction: { inputAction($0).map { ($0.id, $0.action) } },
            outputAction: { outputAction(ElementIDAction(id: $0, action: $1)) },
            element: { global, id in state(global).first { $0.id == id } })
    }

    /// Fits the middleware to a collection whose elements are found by id, by key paths.
    ///
    /// An output is the answered action with the output written at the key path.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIDAction<StateType.ID, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> LiftedToElements<GlobalAction, GlobalState, StateType.ID> where InputActionType == OutputActionType {
        LiftToCollectionMiddleware(
            self,
            inputAction: { global in
                global[keyPath: action].map { (ElementOrigin(action: global, key: $0.id), $0.action) }
            },
            outputAction: { origin, output in
                origin.answer(ElementIDAction(id: origin.key, action: output), at: action)
            },
            element: { global, origin in
                global[keyPath: stateCollection].first { $0.id == origin.key }
            })
    }
}

extension MiddlewareProtocol {
    /// This middleware for the elements of a collection, answering in the action that it was given.
    public typealias LiftedToElements<Action: Sendable, State, Key: Sendable> =
        LiftToCollectionMiddleware<Action, Action, State, ElementOrigin<Action, Key>, Self>

    /// Fits the middleware to a collection whose elements are found by index.
    ///
    /// After elements are inserted or removed, a later read sees the element then at the index.
    @inlinable
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIndexAction<Elements.Index, InputActionType>?,
        outputAction: @escaping (ElementIndexAction<Elements.Index, OutputActionType>) -> GlobalOutput,
        state: @escaping (GlobalState) -> Elements
    ) -> LiftToCollectionMiddleware<GlobalInput, GlobalOutput, GlobalState, Elements.Index, Self>
    where Elements.Index: Sendable {
        LiftToCollectionMiddleware(
            self, inputAction: { inputAction($0).map { ($0.index, $0.action) } },
            outputAction: { outputAction(ElementIndexAction(index: $0, action: $1)) },
            element: { state($0).element(at: $1) })
    }

    /// Fits the middleware to a collection whose elements are found by index, by key paths.
    ///
    /// An output is the answered action with the output written at the key path.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIndexAction<Elements.Index, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> LiftedToElements<GlobalAction, GlobalState, Elements.Index>
    where InputActionType == OutputActionType, Elements.Index: Sendable {
        LiftToCollectionMiddleware(
            self,
            inputAction: { global in
                global[keyPath: action].map { (ElementOrigin(action: global, key: $0.index), $0.action) }
            },
            outputAction: { origin, output in
                origin.answer(ElementIndexAction(index: origin.key, action: output), at: action)
            },
            element: { global, origin in global[keyPath: stateCollection].element(at: origin.key) })
    }
}

/// An action together with the element that it was for.
public struct ElementOrigin<GlobalAction: Sendable, Key: Sendable>: Sendable {
    /// The whole action, before the element's action was extracted.
    @usableFromInline let action: GlobalAction
    /// The key of the element that the action is for.
    @usableFromInline let key: Key

    /// Stores the action as it was before it was lifted.
    @inlinable
    init(action: GlobalAction, key: Key) {
        self.action = action
        self.key = key
    }

    /// Returns the original action with an output written at the key path.
    @inlinable
    func answer<Output>(_ output: Output, at path: WritableKeyPath<GlobalAction, Output?>) -> GlobalAction {
        var answer = action
        answer[keyPath: path] = output
        return answer
    }
}
