// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/generate-lifts; change it there.

extension MiddlewareProtocol {
    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> LiftMiddleware<InputActionType, GlobalOutput, GlobalState, Self> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: state)
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?, state: @escaping (GlobalState) -> StateType
    ) -> LiftMiddleware<GlobalInput, OutputActionType, GlobalState, Self> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: state)
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> LiftMiddleware<GlobalInput, GlobalOutput, StateType, Self> {
        lift(inputAction: inputAction, outputAction: outputAction, state: { $0 })
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?
    ) -> LiftMiddleware<GlobalInput, OutputActionType, StateType, Self> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: { $0 })
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> LiftMiddleware<InputActionType, GlobalOutput, StateType, Self> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: { $0 })
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalState>(
        state: @escaping (GlobalState) -> StateType
    ) -> LiftMiddleware<InputActionType, OutputActionType, GlobalState, Self> {
        lift(inputAction: { $0 }, outputAction: { $0 }, state: state)
    }
}

extension AnyMiddleware {
    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> AnyMiddleware<InputActionType, GlobalOutput, GlobalState> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: state)
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?, state: @escaping (GlobalState) -> StateType
    ) -> AnyMiddleware<GlobalInput, OutputActionType, GlobalState> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: state)
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> AnyMiddleware<GlobalInput, GlobalOutput, StateType> {
        lift(inputAction: inputAction, outputAction: outputAction, state: { $0 })
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?
    ) -> AnyMiddleware<GlobalInput, OutputActionType, StateType> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: { $0 })
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> AnyMiddleware<InputActionType, GlobalOutput, StateType> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: { $0 })
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalState>(
        state: @escaping (GlobalState) -> StateType
    ) -> AnyMiddleware<InputActionType, OutputActionType, GlobalState> {
        lift(inputAction: { $0 }, outputAction: { $0 }, state: state)
    }
}

extension ComposedMiddleware {
    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> ComposedMiddleware<InputActionType, GlobalOutput, GlobalState> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: state)
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?, state: @escaping (GlobalState) -> StateType
    ) -> ComposedMiddleware<GlobalInput, OutputActionType, GlobalState> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: state)
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> ComposedMiddleware<GlobalInput, GlobalOutput, StateType> {
        lift(inputAction: inputAction, outputAction: outputAction, state: { $0 })
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?
    ) -> ComposedMiddleware<GlobalInput, OutputActionType, StateType> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: { $0 })
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> ComposedMiddleware<InputActionType, GlobalOutput, StateType> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: { $0 })
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalState>(
        state: @escaping (GlobalState) -> StateType
    ) -> ComposedMiddleware<InputActionType, OutputActionType, GlobalState> {
        lift(inputAction: { $0 }, outputAction: { $0 }, state: state)
    }
}

extension IdentityMiddleware {
    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> IdentityMiddleware<InputActionType, GlobalOutput, GlobalState> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: state)
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?, state: @escaping (GlobalState) -> StateType
    ) -> IdentityMiddleware<GlobalInput, OutputActionType, GlobalState> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: state)
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> IdentityMiddleware<GlobalInput, GlobalOutput, StateType> {
        lift(inputAction: inputAction, outputAction: outputAction, state: { $0 })
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?
    ) -> IdentityMiddleware<GlobalInput, OutputActionType, StateType> {
        lift(inputAction: inputAction, outputAction: { $0 }, state: { $0 })
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> IdentityMiddleware<InputActionType, GlobalOutput, StateType> {
        lift(inputAction: { $0 }, outputAction: outputAction, state: { $0 })
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalState>(
        state: @escaping (GlobalState) -> StateType
    ) -> IdentityMiddleware<InputActionType, OutputActionType, GlobalState> {
        lift(inputAction: { $0 }, outputAction: { $0 }, state: state)
    }
}
