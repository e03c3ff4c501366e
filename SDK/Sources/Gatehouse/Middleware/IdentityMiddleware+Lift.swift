// SPDX-License-Identifier: Apache-2.0

/// A lifted identity is an identity of the larger types; the maps are let go.
extension IdentityMiddleware {
    /// Fits all three types.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> IdentityMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType> {
        .init()
    }

    /// Fits outputs and state; hears the same actions.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable, GlobalStateType>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> IdentityMiddleware<InputActionType, GlobalOutputActionType, GlobalStateType> {
        .init()
    }

    /// Fits inputs and state; emits the same actions.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> IdentityMiddleware<GlobalInputActionType, OutputActionType, GlobalStateType> {
        .init()
    }

    /// Fits inputs and outputs; reads the same state.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> IdentityMiddleware<GlobalInputActionType, GlobalOutputActionType, StateType> {
        .init()
    }

    /// Fits the inputs only.
    @inlinable
    public func lift<GlobalInputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?
    ) -> IdentityMiddleware<GlobalInputActionType, OutputActionType, StateType> {
        .init()
    }

    /// Fits the outputs only.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> IdentityMiddleware<InputActionType, GlobalOutputActionType, StateType> {
        .init()
    }

    /// Fits the state only.
    @inlinable
    public func lift<GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> IdentityMiddleware<InputActionType, OutputActionType, GlobalStateType> {
        .init()
    }
}
