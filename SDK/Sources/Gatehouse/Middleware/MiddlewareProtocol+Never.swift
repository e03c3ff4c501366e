// SPDX-License-Identifier: Apache-2.0

/// A map from the type without values, which therefore is never called.
@inlinable
func absurd<Value>(_ never: Never) -> Value {}

extension MiddlewareProtocol where OutputActionType == Never {
    /// This middleware, which only listens, for a place where others emit actions of this type.
    @inlinable
    public func emitting<GlobalOutputActionType: Sendable>(
        _ type: GlobalOutputActionType.Type = GlobalOutputActionType.self
    ) -> LiftMiddleware<InputActionType, GlobalOutputActionType, StateType, Self> {
        lift(outputAction: absurd)
    }
}

extension MiddlewareReaderProtocol where MiddlewareType.OutputActionType == Never {
    /// This reader of a middleware that only listens, for a place where others emit actions of this type.
    @inlinable
    public func emitting<GlobalOutputActionType: Sendable>(
        _ type: GlobalOutputActionType.Type = GlobalOutputActionType.self
    ) -> MiddlewareReader<
        Dependencies,
        LiftMiddleware<
            MiddlewareType.InputActionType, GlobalOutputActionType, MiddlewareType.StateType, MiddlewareType
        >
    > {
        mapMiddleware { $0.emitting(type) }
    }
}
