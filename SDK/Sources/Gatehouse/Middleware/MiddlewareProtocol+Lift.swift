// SPDX-License-Identifier: Apache-2.0

/// The concept is on `LiftMiddleware`; an axis that is left out keeps its type.
extension MiddlewareProtocol {
    /// Fits all three types.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> LiftMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType, Self> {
        LiftMiddleware(self, inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits outputs and state; hears the same actions.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable, GlobalStateType>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> LiftMiddleware<InputActionType, GlobalOutputActionType, GlobalStateType, Self> {
        LiftMiddleware(self, inputAction: { $0 }, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits inputs and state; emits the same actions.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> LiftMiddleware<GlobalInputActionType, OutputActionType, GlobalStateType, Self> {
        LiftMiddleware(self, inputAction: inputActionMap, outputAction: { $0 }, state: stateMap)
    }

    /// Fits inputs and outputs; reads the same state.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> LiftMiddleware<GlobalInputActionType, GlobalOutputActionType, StateType, Self> {
        LiftMiddleware(self, inputAction: inputActionMap, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the inputs only.
    @inlinable
    public func lift<GlobalInputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?
    ) -> LiftMiddleware<GlobalInputActionType, OutputActionType, StateType, Self> {
        LiftMiddleware(self, inputAction: inputActionMap, outputAction: { $0 }, state: { $0 })
    }

    /// Fits the outputs only.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> LiftMiddleware<InputActionType, GlobalOutputActionType, StateType, Self> {
        LiftMiddleware(self, inputAction: { $0 }, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the state only.
    @inlinable
    public func lift<GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> LiftMiddleware<InputActionType, OutputActionType, GlobalStateType, Self> {
        LiftMiddleware(self, inputAction: { $0 }, outputAction: { $0 }, state: stateMap)
    }
}
