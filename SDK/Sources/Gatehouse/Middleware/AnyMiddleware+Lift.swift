// SPDX-License-Identifier: Apache-2.0

/// Erased lifts keep what erasure remembers: an identity stays one, a composition is lifted member by member.
extension AnyMiddleware {
    /// Fits all three types.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> AnyMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType> {
        lifted(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits outputs and state; hears the same actions.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable, GlobalStateType>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> AnyMiddleware<InputActionType, GlobalOutputActionType, GlobalStateType> {
        lifted(inputAction: { $0 }, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits inputs and state; emits the same actions.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> AnyMiddleware<GlobalInputActionType, OutputActionType, GlobalStateType> {
        lifted(inputAction: inputActionMap, outputAction: { $0 }, state: stateMap)
    }

    /// Fits inputs and outputs; reads the same state.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> AnyMiddleware<GlobalInputActionType, GlobalOutputActionType, StateType> {
        lifted(inputAction: inputActionMap, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the inputs only.
    @inlinable
    public func lift<GlobalInputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?
    ) -> AnyMiddleware<GlobalInputActionType, OutputActionType, StateType> {
        lifted(inputAction: inputActionMap, outputAction: { $0 }, state: { $0 })
    }

    /// Fits the outputs only.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> AnyMiddleware<InputActionType, GlobalOutputActionType, StateType> {
        lifted(inputAction: { $0 }, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the state only.
    @inlinable
    public func lift<GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> AnyMiddleware<InputActionType, OutputActionType, GlobalStateType> {
        lifted(inputAction: { $0 }, outputAction: { $0 }, state: stateMap)
    }

    /// Lifts all three axes.
    @inlinable
    func lifted<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> AnyMiddleware<GlobalInput, GlobalOutput, GlobalState> {
        if isIdentity { return IdentityMiddleware().eraseToAnyMiddleware() }
        if let composition {
            return composition.lifted(inputAction: inputAction, outputAction: outputAction, state: state)
                .eraseToAnyMiddleware()
        }
        return LiftMiddleware(self, inputAction: inputAction, outputAction: outputAction, state: state)
            .eraseToAnyMiddleware()
    }
}
