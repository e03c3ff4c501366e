// SPDX-License-Identifier: Apache-2.0

/// Fits readers to larger types before their middlewares exist; the concept is on `LiftMiddleware`.
///
/// An axis that is left out keeps its type. Each lift wraps the injected middleware; readers of `AnyMiddleware` have lifts of
/// their own, which keep identities and compositions recognisable.
extension MiddlewareReaderProtocol {
    /// Fits all four axes.
    @inlinable
    public func lift<
        GlobalDependencies, GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType
    >(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?,
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            GlobalInputActionType, GlobalOutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits inputs, outputs and state.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?,
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            GlobalInputActionType, GlobalOutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits inputs, outputs and dependencies.
    @inlinable
    public func lift<GlobalDependencies, GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?,
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            GlobalInputActionType, GlobalOutputActionType,
            MiddlewareType.StateType, MiddlewareType
        >
    > {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap)
        }
    }

    /// Fits inputs, state and dependencies.
    @inlinable
    public func lift<GlobalDependencies, GlobalInputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?,
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            GlobalInputActionType, MiddlewareType.OutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap, state: stateMap)
        }
    }

    /// Fits outputs, state and dependencies.
    @inlinable
    public func lift<GlobalDependencies, GlobalOutputActionType: Sendable, GlobalStateType>(
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, GlobalOutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits inputs and outputs.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?,
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            GlobalInputActionType, GlobalOutputActionType,
            MiddlewareType.StateType, MiddlewareType
        >
    > {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap, outputAction: outputActionMap)
        }
    }

    /// Fits inputs and state.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?,
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            GlobalInputActionType, MiddlewareType.OutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap, state: stateMap)
        }
    }

    /// Fits inputs and dependencies.
    @inlinable
    public func lift<GlobalDependencies, GlobalInputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            GlobalInputActionType, MiddlewareType.OutputActionType,
            MiddlewareType.StateType, MiddlewareType
        >
    > {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(inputAction: inputActionMap)
        }
    }

    /// Fits outputs and state.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable, GlobalStateType>(
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, GlobalOutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        mapMiddleware {
            $0.lift(outputAction: outputActionMap, state: stateMap)
        }
    }

    /// Fits outputs and dependencies.
    @inlinable
    public func lift<GlobalDependencies, GlobalOutputActionType: Sendable>(
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, GlobalOutputActionType,
            MiddlewareType.StateType, MiddlewareType
        >
    > {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(outputAction: outputActionMap)
        }
    }

    /// Fits state and dependencies.
    @inlinable
    public func lift<GlobalDependencies, GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType,
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<
        GlobalDependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, MiddlewareType.OutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        contramapDependencies(dependenciesMap).mapMiddleware {
            $0.lift(state: stateMap)
        }
    }

    /// Fits inputs only.
    @inlinable
    public func lift<GlobalInputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> MiddlewareType.InputActionType?
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            GlobalInputActionType, MiddlewareType.OutputActionType,
            MiddlewareType.StateType, MiddlewareType
        >
    > {
        mapMiddleware {
            $0.lift(inputAction: inputActionMap)
        }
    }

    /// Fits outputs only.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable>(
        outputAction outputActionMap: @escaping (MiddlewareType.OutputActionType) -> GlobalOutputActionType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, GlobalOutputActionType,
            MiddlewareType.StateType, MiddlewareType
        >
    > {
        mapMiddleware {
            $0.lift(outputAction: outputActionMap)
        }
    }

    /// Fits state only.
    @inlinable
    public func lift<GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> MiddlewareType.StateType
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, MiddlewareType.OutputActionType,
            GlobalStateType, MiddlewareType
        >
    > {
        mapMiddleware {
            $0.lift(state: stateMap)
        }
    }

    /// Fits dependencies only.
    @inlinable
    public func lift<GlobalDependencies>(
        dependencies dependenciesMap: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, MiddlewareType> {
        contramapDependencies(dependenciesMap)
    }
}
