// SPDX-License-Identifier: Apache-2.0

extension EffectMiddleware {
    /// Returns a reader of a middleware that answers each action with an effect, and the end of the run with one more.
    @inlinable
    public static func onAction(
        _ onAction: @escaping OnAction, onStopping: OnStopping? = nil
    ) -> MiddlewareReader<Dependencies, EffectMiddleware> {
        MiddlewareReader { EffectMiddleware(dependencies: $0, onAction: onAction, onStopping: onStopping) }
    }
}

extension MiddlewareReader {
    /// Returns a reader of an effect middleware, for places where the type is known:
    /// `.onAction { action, state, context in … }`.
    @inlinable
    public static func onAction<Input, Output, State>(
        _ onAction: @escaping EffectMiddleware<Input, Output, State, Dependencies>.OnAction,
        onStopping: EffectMiddleware<Input, Output, State, Dependencies>.OnStopping? = nil
    ) -> MiddlewareReader where MiddlewareType == EffectMiddleware<Input, Output, State, Dependencies> {
        MiddlewareReader { EffectMiddleware(dependencies: $0, onAction: onAction, onStopping: onStopping) }
    }

    /// Returns a reader of an effect middleware with its type hidden.
    @inlinable
    public static func onAction<Input, Output, State>(
        _ onAction: @escaping EffectMiddleware<Input, Output, State, Dependencies>.OnAction,
        onStopping: EffectMiddleware<Input, Output, State, Dependencies>.OnStopping? = nil
    ) -> MiddlewareReader where MiddlewareType == AnyMiddleware<Input, Output, State> {
        MiddlewareReader {
            AnyMiddleware(EffectMiddleware(dependencies: $0, onAction: onAction, onStopping: onStopping))
        }
    }
}
