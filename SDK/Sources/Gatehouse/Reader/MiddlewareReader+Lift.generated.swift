// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/generate-lifts; change it there.

extension MiddlewareReaderProtocol {
    /// Fits inputs, outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> Lifted<Dependencies, GlobalInput, GlobalOutput, GlobalState> {
        mapMiddleware { $0.lift(inputAction: inputAction, outputAction: outputAction, state: state) }
    }

    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> Lifted<Dependencies, InputActionType, GlobalOutput, GlobalState> {
        mapMiddleware { $0.lift(outputAction: outputAction, state: state) }
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?, state: @escaping (GlobalState) -> StateType
    ) -> Lifted<Dependencies, GlobalInput, OutputActionType, GlobalState> {
        mapMiddleware { $0.lift(inputAction: inputAction, state: state) }
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> Lifted<Dependencies, GlobalInput, GlobalOutput, StateType> {
        mapMiddleware { $0.lift(inputAction: inputAction, outputAction: outputAction) }
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?
    ) -> Lifted<Dependencies, GlobalInput, OutputActionType, StateType> {
        mapMiddleware { $0.lift(inputAction: inputAction) }
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput
    ) -> Lifted<Dependencies, InputActionType, GlobalOutput, StateType> {
        mapMiddleware { $0.lift(outputAction: outputAction) }
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalState>(
        state: @escaping (GlobalState) -> StateType
    ) -> Lifted<Dependencies, InputActionType, OutputActionType, GlobalState> {
        mapMiddleware { $0.lift(state: state) }
    }

    /// Fits inputs, outputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable
    public func lift<GlobalDependencies, GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> Lifted<GlobalDependencies, GlobalInput, GlobalOutput, GlobalState> {
        contramapDependencies(dependencies).lift(
            inputAction: inputAction, outputAction: outputAction, state: state)
    }

    /// Fits outputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> Lifted<GlobalDependencies, InputActionType, GlobalOutput, GlobalState> {
        contramapDependencies(dependencies).lift(outputAction: outputAction, state: state)
    }

    /// Fits inputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?, state: @escaping (GlobalState) -> StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> Lifted<GlobalDependencies, GlobalInput, OutputActionType, GlobalState> {
        contramapDependencies(dependencies).lift(inputAction: inputAction, state: state)
    }

    /// Fits inputs, outputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> Lifted<GlobalDependencies, GlobalInput, GlobalOutput, StateType> {
        contramapDependencies(dependencies).lift(inputAction: inputAction, outputAction: outputAction)
    }

    /// Fits inputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> Lifted<GlobalDependencies, GlobalInput, OutputActionType, StateType> {
        contramapDependencies(dependencies).lift(inputAction: inputAction)
    }

    /// Fits outputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalOutput: Sendable>(
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> Lifted<GlobalDependencies, InputActionType, GlobalOutput, StateType> {
        contramapDependencies(dependencies).lift(outputAction: outputAction)
    }

    /// Fits state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalState>(
        state: @escaping (GlobalState) -> StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> Lifted<GlobalDependencies, InputActionType, OutputActionType, GlobalState> {
        contramapDependencies(dependencies).lift(state: state)
    }
}

extension MiddlewareReaderProtocol {
    /// Fits inputs, outputs and state to a whole, and leaves the rest as it is.
    @inlinable
    public func lift<Input, Output, State, GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> Input?, outputAction: @escaping (Output) -> GlobalOutput,
        state: @escaping (GlobalState) -> State
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<GlobalInput, GlobalOutput, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware { $0.lift(inputAction: inputAction, outputAction: outputAction, state: state) }
    }

    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (Output) -> GlobalOutput, state: @escaping (GlobalState) -> State
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<Input, GlobalOutput, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware { $0.lift(outputAction: outputAction, state: state) }
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> Input?, state: @escaping (GlobalState) -> State
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<GlobalInput, Output, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware { $0.lift(inputAction: inputAction, state: state) }
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> Input?, outputAction: @escaping (Output) -> GlobalOutput
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<GlobalInput, GlobalOutput, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware { $0.lift(inputAction: inputAction, outputAction: outputAction) }
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> Input?
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<GlobalInput, Output, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware { $0.lift(inputAction: inputAction) }
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalOutput: Sendable>(
        outputAction: @escaping (Output) -> GlobalOutput
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<Input, GlobalOutput, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware { $0.lift(outputAction: outputAction) }
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalState>(
        state: @escaping (GlobalState) -> State
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<Input, Output, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware { $0.lift(state: state) }
    }

    /// Fits inputs, outputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState
    >(
        inputAction: @escaping (GlobalInput) -> Input?, outputAction: @escaping (Output) -> GlobalOutput,
        state: @escaping (GlobalState) -> State, dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<GlobalInput, GlobalOutput, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependencies).lift(
            inputAction: inputAction, outputAction: outputAction, state: state)
    }

    /// Fits outputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable
    public func lift<Input, Output, State, GlobalDependencies, GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (Output) -> GlobalOutput, state: @escaping (GlobalState) -> State,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<Input, GlobalOutput, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependencies).lift(outputAction: outputAction, state: state)
    }

    /// Fits inputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalDependencies, GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> Input?, state: @escaping (GlobalState) -> State,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<GlobalInput, Output, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependencies).lift(inputAction: inputAction, state: state)
    }

    /// Fits inputs, outputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable
    public func lift<Input, Output, State, GlobalDependencies, GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> Input?, outputAction: @escaping (Output) -> GlobalOutput,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<GlobalInput, GlobalOutput, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependencies).lift(inputAction: inputAction, outputAction: outputAction)
    }

    /// Fits inputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalDependencies, GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> Input?,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<GlobalInput, Output, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependencies).lift(inputAction: inputAction)
    }

    /// Fits outputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalDependencies, GlobalOutput: Sendable>(
        outputAction: @escaping (Output) -> GlobalOutput,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<Input, GlobalOutput, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependencies).lift(outputAction: outputAction)
    }

    /// Fits state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<Input, Output, State, GlobalDependencies, GlobalState>(
        state: @escaping (GlobalState) -> State, dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<Input, Output, GlobalState>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependencies).lift(state: state)
    }
}
