// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/generate-lifts; change it there.

extension EffectMiddleware {
    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> EffectMiddleware<InputActionType, GlobalOutput, GlobalState, Dependencies> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: state)
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?, state: @escaping (GlobalState) -> StateType
    ) -> EffectMiddleware<GlobalInput, OutputActionType, GlobalState, Dependencies> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: state)
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, StateType, Dependencies> {
        lift(inputAction: inputAction, outputAction: outputAction, state: { $0 })
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?
    ) -> EffectMiddleware<GlobalInput, OutputActionType, StateType, Dependencies> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: { $0 })
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> EffectMiddleware<InputActionType, GlobalOutput, StateType, Dependencies> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: { $0 })
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalState>(
        state: @escaping (GlobalState) -> StateType
    ) -> EffectMiddleware<InputActionType, OutputActionType, GlobalState, Dependencies> {
        lift(inputAction: { $0 }, outputAction: { $0 }, state: state)
    }
}
