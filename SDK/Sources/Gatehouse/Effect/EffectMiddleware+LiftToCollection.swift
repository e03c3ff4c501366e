// SPDX-License-Identifier: Apache-2.0

/// Lifted to a collection an effect middleware is one still; the concept is on `LiftToCollectionMiddleware`.
///
/// Its tokens stay those of the original, so that one meant for one element contains the element's id.
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
        lifted(
            to: liftToCollection(
                inputAction: inputAction, outputAction: outputAction, state: stateCollection))
    }

    /// Fits the middleware to a collection whose elements are found by id, by key paths.
    ///
    /// An output is the action that it answers, with the output written at the key path.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIDAction<StateType.ID, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> EffectMiddleware<GlobalAction, GlobalAction, GlobalState, Dependencies>
    where InputActionType == OutputActionType {
        let collection:
            LiftToCollectionMiddleware<
                GlobalAction, GlobalAction, GlobalState, ElementOrigin<GlobalAction, StateType.ID>,
                EffectMiddleware
            > = liftToCollection(action: action, stateCollection: stateCollection)
        return lifted(to: collection)
    }
}

extension EffectMiddleware {
    /// Fits the middleware to a collection whose elements are found by index.
    ///
    /// When elements are inserted or removed, a later read sees what is at the index by then.
    @inlinable
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIndexAction<Elements.Index, InputActionType>?,
        outputAction: @escaping (ElementIndexAction<Elements.Index, OutputActionType>) -> GlobalOutput,
        stateCollection: @escaping (GlobalState) -> Elements
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>
    where Elements.Index: Sendable {
        lifted(
            to: liftToCollection(
                inputAction: inputAction, outputAction: outputAction, state: stateCollection))
    }

    /// Fits the middleware to a collection whose elements are found by index, by key paths.
    ///
    /// An output is the action that it answers, with the output written at the key path.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIndexAction<Elements.Index, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> EffectMiddleware<GlobalAction, GlobalAction, GlobalState, Dependencies>
    where InputActionType == OutputActionType, Elements.Index: Sendable {
        let collection:
            LiftToCollectionMiddleware<
                GlobalAction, GlobalAction, GlobalState, ElementOrigin<GlobalAction, Elements.Index>,
                EffectMiddleware
            > = liftToCollection(action: action, stateCollection: stateCollection)
        return lifted(to: collection)
    }
}
