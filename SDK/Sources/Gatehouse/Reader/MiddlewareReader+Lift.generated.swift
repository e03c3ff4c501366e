// SPDX-License-Identifier: Apache-2.0
// Written by Scripts/generate-lifts; change it there.

extension MiddlewareReaderProtocol {
    /// Fits inputs, outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?,
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies, LiftMiddleware<GlobalInput, GlobalOutput, GlobalState, MiddlewareType>
    > {
        mapMiddleware { $0.lift(inputAction: inputAction, outputAction: outputAction, state: state) }
    }

    /// Fits outputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<MiddlewareType.InputActionType, GlobalOutput, GlobalState, MiddlewareType>
    > {
        mapMiddleware { $0.lift(outputAction: outputAction, state: state) }
    }

    /// Fits inputs and state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?,
        state: @escaping (GlobalState) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<GlobalInput, MiddlewareType.OutputActionType, GlobalState, MiddlewareType>
    > {
        mapMiddleware { $0.lift(inputAction: inputAction, state: state) }
    }

    /// Fits inputs and outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?,
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput
    ) -> MiddlewareReader<
        Dependencies, LiftMiddleware<GlobalInput, GlobalOutput, MiddlewareType.StateType, MiddlewareType>
    > {
        mapMiddleware { $0.lift(inputAction: inputAction, outputAction: outputAction) }
    }

    /// Fits inputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<GlobalInput, MiddlewareType.OutputActionType, MiddlewareType.StateType, MiddlewareType>
    > {
        mapMiddleware { $0.lift(inputAction: inputAction) }
    }

    /// Fits outputs to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalOutput: Sendable>(
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<MiddlewareType.InputActionType, GlobalOutput, MiddlewareType.StateType, MiddlewareType>
    > {
        mapMiddleware { $0.lift(outputAction: outputAction) }
    }

    /// Fits state to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalState>(
        state: @escaping (GlobalState) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, MiddlewareType.OutputActionType, GlobalState, MiddlewareType
        >
    > {
        mapMiddleware { $0.lift(state: state) }
    }

    /// Fits inputs, outputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable
    public func lift<GlobalDependencies, GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?,
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> MiddlewareType.StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies, LiftMiddleware<GlobalInput, GlobalOutput, GlobalState, MiddlewareType>
    > {
        contramapDependencies(dependencies).lift(
            inputAction: inputAction, outputAction: outputAction, state: state)
    }

    /// Fits outputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalOutput: Sendable, GlobalState>(
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> MiddlewareType.StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<MiddlewareType.InputActionType, GlobalOutput, GlobalState, MiddlewareType>
    > {
        contramapDependencies(dependencies).lift(outputAction: outputAction, state: state)
    }

    /// Fits inputs, state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalInput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?,
        state: @escaping (GlobalState) -> MiddlewareType.StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<GlobalInput, MiddlewareType.OutputActionType, GlobalState, MiddlewareType>
    > {
        contramapDependencies(dependencies).lift(inputAction: inputAction, state: state)
    }

    /// Fits inputs, outputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalInput: Sendable, GlobalOutput: Sendable>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?,
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<GlobalInput, GlobalOutput, MiddlewareType.StateType, MiddlewareType>
    > {
        contramapDependencies(dependencies).lift(inputAction: inputAction, outputAction: outputAction)
    }

    /// Fits inputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalInput: Sendable>(
        inputAction: @escaping (GlobalInput) -> MiddlewareType.InputActionType?,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<GlobalInput, MiddlewareType.OutputActionType, MiddlewareType.StateType, MiddlewareType>
    > {
        contramapDependencies(dependencies).lift(inputAction: inputAction)
    }

    /// Fits outputs and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalOutput: Sendable>(
        outputAction: @escaping (MiddlewareType.OutputActionType) -> GlobalOutput,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<MiddlewareType.InputActionType, GlobalOutput, MiddlewareType.StateType, MiddlewareType>
    > {
        contramapDependencies(dependencies).lift(outputAction: outputAction)
    }

    /// Fits state and dependencies to a whole, and leaves the rest as it is.
    @inlinable public func lift<GlobalDependencies, GlobalState>(
        state: @escaping (GlobalState) -> MiddlewareType.StateType,
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, MiddlewareType.OutputActionType, GlobalState, MiddlewareType
        >
    > {
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
