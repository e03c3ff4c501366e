// SPDX-License-Identifier: Apache-2.0

/// A lifted composition is a composition of the lifted members, so that it stays flat when it is composed further.
extension ComposedMiddleware {
    /// Fits all three types.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> ComposedMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType> {
        lifted(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits outputs and state; hears the same actions.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable, GlobalStateType>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> ComposedMiddleware<InputActionType, GlobalOutputActionType, GlobalStateType> {
        lifted(inputAction: { $0 }, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits inputs and state; emits the same actions.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> ComposedMiddleware<GlobalInputActionType, OutputActionType, GlobalStateType> {
        lifted(inputAction: inputActionMap, outputAction: { $0 }, state: stateMap)
    }

    /// Fits inputs and outputs; reads the same state.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> ComposedMiddleware<GlobalInputActionType, GlobalOutputActionType, StateType> {
        lifted(inputAction: inputActionMap, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the inputs only.
    @inlinable
    public func lift<GlobalInputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?
    ) -> ComposedMiddleware<GlobalInputActionType, OutputActionType, StateType> {
        lifted(inputAction: inputActionMap, outputAction: { $0 }, state: { $0 })
    }

    /// Fits the outputs only.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> ComposedMiddleware<InputActionType, GlobalOutputActionType, StateType> {
        lifted(inputAction: { $0 }, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the state only.
    @inlinable
    public func lift<GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> ComposedMiddleware<InputActionType, OutputActionType, GlobalStateType> {
        lifted(inputAction: { $0 }, outputAction: { $0 }, state: stateMap)
    }

    /// Lifts each member along all three axes.
    @inlinable
    func lifted<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> ComposedMiddleware<GlobalInput, GlobalOutput, GlobalState> {
        ComposedMiddleware<GlobalInput, GlobalOutput, GlobalState>(
            row.map { $0.lifted(inputAction: inputAction, outputAction: outputAction, state: state) })
    }
}
