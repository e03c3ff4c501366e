// SPDX-License-Identifier: Apache-2.0

/// Readers of erased middlewares lift as `AnyMiddleware` does, so that what they give is still recognised as identity or
/// composition. Where the expected type is a `LiftMiddleware`, the general lifts are chosen instead.
extension MiddlewareReaderProtocol {
    /// Fits all four axes.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalInputActionType: Sendable,
        GlobalOutputActionType: Sendable, GlobalStateType
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?,
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> State,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies, AnyMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType>
    >
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits inputs, outputs and dependencies.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalInputActionType: Sendable,
        GlobalOutputActionType: Sendable
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?,
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies, AnyMiddleware<GlobalInputActionType, GlobalOutputActionType, State>
    >
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap)
        }
    }

    /// Fits inputs, state and dependencies.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalInputActionType: Sendable, GlobalStateType
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?,
        state stateMap: @escaping (GlobalStateType) -> State,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<GlobalInputActionType, Output, GlobalStateType>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap, state: stateMap)
        }
    }

    /// Fits outputs, state and dependencies.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalOutputActionType: Sendable, GlobalStateType
    >(
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> State,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<Input, GlobalOutputActionType, GlobalStateType>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits inputs and dependencies.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalInputActionType: Sendable
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<GlobalInputActionType, Output, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap)
        }
    }

    /// Fits outputs and dependencies.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalOutputActionType: Sendable
    >(
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<Input, GlobalOutputActionType, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(outputAction: outputActionMap)
        }
    }

    /// Fits state and dependencies.
    @inlinable
    public func lift<
        Input, Output, State, GlobalDependencies, GlobalStateType
    >(
        state stateMap: @escaping (GlobalStateType) -> State,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, AnyMiddleware<Input, Output, GlobalStateType>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(state: stateMap)
        }
    }

    /// Fits inputs, outputs and state.
    @inlinable
    public func lift<
        Input, Output, State, GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable,
        GlobalStateType
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?,
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> State
    ) -> MiddlewareReader<
        Dependencies, AnyMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType>
    >
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits inputs and outputs.
    @inlinable
    public func lift<
        Input, Output, State, GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?,
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<GlobalInputActionType, GlobalOutputActionType, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap)
        }
    }

    /// Fits inputs and state.
    @inlinable
    public func lift<
        Input, Output, State, GlobalInputActionType: Sendable, GlobalStateType
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?,
        state stateMap: @escaping (GlobalStateType) -> State
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<GlobalInputActionType, Output, GlobalStateType>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap, state: stateMap)
        }
    }

    /// Fits outputs and state.
    @inlinable
    public func lift<
        Input, Output, State, GlobalOutputActionType: Sendable, GlobalStateType
    >(
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> State
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<Input, GlobalOutputActionType, GlobalStateType>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware {
            $0.lift(outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits inputs only.
    @inlinable
    public func lift<
        Input, Output, State, GlobalInputActionType: Sendable
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> Input?
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<GlobalInputActionType, Output, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap)
        }
    }

    /// Fits outputs only.
    @inlinable
    public func lift<
        Input, Output, State, GlobalOutputActionType: Sendable
    >(
        outputAction outputActionMap: @escaping (Output) -> GlobalOutputActionType
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<Input, GlobalOutputActionType, State>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware {
            $0.lift(outputAction: outputActionMap)
        }
    }

    /// Fits state only.
    @inlinable
    public func lift<
        Input, Output, State, GlobalStateType
    >(
        state stateMap: @escaping (GlobalStateType) -> State
    ) -> MiddlewareReader<Dependencies, AnyMiddleware<Input, Output, GlobalStateType>>
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        mapMiddleware {
            $0.lift(state: stateMap)
        }
    }
}
