// SPDX-License-Identifier: Apache-2.0

/// Fits readers of a middleware of an element to a collection; see `LiftToCollectionMiddleware`.
extension MiddlewareReaderProtocol
where MiddlewareType.StateType: Identifiable, MiddlewareType.StateType.ID: Sendable {
    /// Finds the elements by id; the first one with the id counts.
    @inlinable
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIDAction<StateType.ID, InputActionType>?,
        outputAction: @escaping (ElementIDAction<StateType.ID, OutputActionType>) -> GlobalOutput,
        state: @escaping (GlobalState) -> Elements
    ) -> MiddlewareReader<
        Dependencies,
        LiftToCollectionMiddleware<GlobalInput, GlobalOutput, GlobalState, StateType.ID, MiddlewareType>
    > {
        mapMiddleware {
            $0.liftToCollection(inputAction: inputAction, outputAction: outputAction, state: state)
        }
    }

    /// Finds the elements by id, by key paths; an output is the answered action with the output written in.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIDAction<StateType.ID, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> MiddlewareReader<
        Dependencies, MiddlewareType.LiftedToElements<GlobalAction, GlobalState, StateType.ID>
    > where InputActionType == OutputActionType {
        mapMiddleware { $0.liftToCollection(action: action, stateCollection: stateCollection) }
    }
}

extension MiddlewareReaderProtocol {
    /// Finds the elements by index.
    @inlinable
    public func liftToCollection<
        GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState, Elements: Collection<StateType>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIndexAction<Elements.Index, InputActionType>?,
        outputAction: @escaping (ElementIndexAction<Elements.Index, OutputActionType>) -> GlobalOutput,
        state: @escaping (GlobalState) -> Elements
    ) -> MiddlewareReader<
        Dependencies,
        LiftToCollectionMiddleware<GlobalInput, GlobalOutput, GlobalState, Elements.Index, MiddlewareType>
    > where Elements.Index: Sendable {
        mapMiddleware {
            $0.liftToCollection(inputAction: inputAction, outputAction: outputAction, state: state)
        }
    }

    /// Finds the elements by index, by key paths; an output is the answered action with the output written in.
    @inlinable
    public func liftToCollection<GlobalAction: Sendable, GlobalState, Elements: Collection<StateType>>(
        action: WritableKeyPath<GlobalAction, ElementIndexAction<Elements.Index, InputActionType>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> MiddlewareReader<
        Dependencies, MiddlewareType.LiftedToElements<GlobalAction, GlobalState, Elements.Index>
    > where InputActionType == OutputActionType, Elements.Index: Sendable {
        mapMiddleware { $0.liftToCollection(action: action, stateCollection: stateCollection) }
    }
}

/// Lifts that keep the reader's kind of middleware: each element found by id has its own effects.
extension MiddlewareReader {
    /// Finds the elements by id, and keeps effects running for each; see `SupervisingMiddleware`.
    public func liftToCollection<
        Input: Sendable, Output: Sendable, Element: Identifiable, GlobalInput: Sendable,
        GlobalOutput: Sendable, GlobalState, Elements: Collection<Element>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIDAction<Element.ID, Input>?,
        outputAction: @escaping (ElementIDAction<Element.ID, Output>) -> GlobalOutput,
        state: @escaping (GlobalState) -> Elements
    ) -> MiddlewareReader<
        Dependencies, SupervisingMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>
    >
    where
        MiddlewareType == SupervisingMiddleware<Input, Output, Element, Dependencies>, Element.ID: Sendable
    {
        mapMiddleware {
            $0.liftToCollection(inputAction: inputAction, outputAction: outputAction, state: state)
        }
    }

    /// Finds the elements by id; the first one with the id counts.
    @inlinable
    public func liftToCollection<
        Input: Sendable, Output: Sendable, Element: Identifiable, GlobalInput: Sendable,
        GlobalOutput: Sendable,
        GlobalState, Elements: Collection<Element>
    >(
        inputAction: @escaping (GlobalInput) -> ElementIDAction<Element.ID, Input>?,
        outputAction: @escaping (ElementIDAction<Element.ID, Output>) -> GlobalOutput,
        state: @escaping (GlobalState) -> Elements
    ) -> MiddlewareReader<
        Dependencies, EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>
    > where MiddlewareType == EffectMiddleware<Input, Output, Element, Dependencies>, Element.ID: Sendable {
        mapMiddleware {
            $0.liftToCollection(
                inputAction: inputAction, outputAction: outputAction, stateCollection: state)
        }
    }

    /// Finds the elements by id, by key paths; an output is the answered action with the output written in.
    @inlinable
    public func liftToCollection<
        Action: Sendable, Element: Identifiable, GlobalAction: Sendable, GlobalState,
        Elements: Collection<Element>
    >(
        action: WritableKeyPath<GlobalAction, ElementIDAction<Element.ID, Action>?>,
        stateCollection: KeyPath<GlobalState, Elements>
    ) -> MiddlewareReader<
        Dependencies, EffectMiddleware<GlobalAction, GlobalAction, GlobalState, Dependencies>
    > where MiddlewareType == EffectMiddleware<Action, Action, Element, Dependencies>, Element.ID: Sendable {
        mapMiddleware { $0.liftToCollection(action: action, stateCollection: stateCollection) }
    }
}
