// SPDX-License-Identifier: Apache-2.0

/// Lifts to collections that return an effect middleware; see `LiftToCollectionMiddleware`.
///
/// If elements are found by id, each has its own effects: two elements may use the same token, and the running effects of an
/// element are cancelled when it has left. That happens at the next action that the middleware handles, after its reducers;
/// effects that answer the action with which the element left continue.
extension EffectMiddleware where StateType: Identifiable, StateType.ID: Sendable {
    /// Fits the middleware to a collection whose elements are found by id; the first one with the id counts.
    @inlinable
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIDAction<StateType.ID, InputActionType>?,
        outputAction: @escaping (ElementIDAction<StateType.ID, OutputActionType>) -> GlobalOutput,
        stateCollection: @escaping (GlobalState) -> Elements
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies> {
        liftedByID {
            $0.liftToCollection(
                inputAction: inputAction, outputAction: outputAction, state: stateCollection)
        } id: {
            inputAction($0)?.id
        } ids: {
            Set(stateCollection($0).lazy.map(\.id))
        }
    }

    /// Fits the middleware to a collection whose elements are found by id, by key paths.
    ///
    /// An output is the answered action with the output written at the key path.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIDAction<StateType.ID, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> EffectMiddleware<GlobalAction, GlobalAction, GlobalState, Dependencies>
    where InputActionType == OutputActionType {
        liftedByID {
            part -> LiftedToElements<GlobalAction, GlobalState, StateType.ID> in
            part.liftToCollection(action: action, stateCollection: stateCollection)
        } id: {
            $0[keyPath: action]?.id
        } ids: {
            Set($0[keyPath: stateCollection].lazy.map(\.id))
        }
    }

    /// Returns an effect middleware of a collection, in which each element has its own effects.
    @inlinable
    func liftedByID<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState,
        Whole: MiddlewareProtocol<GlobalInput, GlobalOutput, GlobalState>
    >(
        _ lift: @escaping (EffectMiddleware) -> Whole, id: @escaping (GlobalInput) -> StateType.ID?,
        ids: @escaping (GlobalState) -> Set<StateType.ID>
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies> {
        let whole = ElementEffects(self, id: id, ids: ids, lift: lift)
        return EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>(
            around: whole, count: { whole.effects },
            again: { self.again().liftedByID(lift, id: id, ids: ids) })
    }
}

/// Lifts by index, which share the effects of the original among all elements.
///
/// An index names another element when one before it comes or goes, so the owner of an effect would be unknown. A token
/// meant for one element must name it.
extension EffectMiddleware {
    /// Fits the middleware to a collection whose elements are found by index.
    ///
    /// After elements are inserted or removed, a later read sees the element then at the index.
    @inlinable
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIndexAction<Elements.Index, InputActionType>?,
        outputAction: @escaping (ElementIndexAction<Elements.Index, OutputActionType>) -> GlobalOutput,
        stateCollection: @escaping (GlobalState) -> Elements
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>
    where Elements.Index: Sendable {
        lifted {
            $0.liftToCollection(
                inputAction: inputAction, outputAction: outputAction, state: stateCollection)
        }
    }

    /// Fits the middleware to a collection whose elements are found by index, by key paths.
    ///
    /// An output is the answered action with the output written at the key path.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIndexAction<Elements.Index, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> EffectMiddleware<GlobalAction, GlobalAction, GlobalState, Dependencies>
    where InputActionType == OutputActionType, Elements.Index: Sendable {
        lifted {
            part -> LiftedToElements<GlobalAction, GlobalState, Elements.Index> in
            part.liftToCollection(action: action, stateCollection: stateCollection)
        }
    }
}
