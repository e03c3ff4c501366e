// SPDX-License-Identifier: Apache-2.0

/// The easiest way to write a middleware: one function from an action to an effect.
///
/// The function runs in the drain **after** the reducers, so `state()` gives the state they left. Effects that are still
/// running when the middleware goes are cancelled.
public final class EffectMiddleware<InputActionType: Sendable, OutputActionType: Sendable, StateType, Dependencies>:
    MiddlewareProtocol
{
    /// From an action to an effect.
    public typealias OnAction = (
        InputActionType, GetState<StateType>, EffectContext<Dependencies, OutputActionType>
    ) -> Effect<Dependencies, OutputActionType>

    /// What the function works with.
    @usableFromInline let engine: EffectEngine<InputActionType, OutputActionType, StateType, Dependencies>
    /// The answer to the action in hand, filled again for the next.
    @usableFromInline var pending: PendingEffect<InputActionType, OutputActionType, StateType, Dependencies>

    /// A middleware with its dependencies; usually made by injecting the reader that `onAction` gives.
    @inlinable
    public init(dependencies: Dependencies, onAction: @escaping OnAction) {
        engine = EffectEngine(dependencies: dependencies, onAction: onAction)
        pending = PendingEffect(engine)
    }

    deinit { engine.registry.cancelAll() }

    /// A reader of a middleware that answers each action with an effect.
    @inlinable
    public static func onAction(
        _ onAction: @escaping OnAction
    ) -> MiddlewareReader<Dependencies, EffectMiddleware> {
        MiddlewareReader { EffectMiddleware(dependencies: $0, onAction: onAction) }
    }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        if !isKnownUniquelyReferenced(&pending) { pending = PendingEffect(engine) }
        pending.input = (action, dispatcher, state)
        return IO(body: pending)
    }

    /// Cancels every running effect of this middleware.
    public func cancelEffects() { engine.registry.cancelAll() }

    /// How many effects are running.
    public var runningEffects: Int { engine.registry.count }
}

extension EffectMiddleware where Dependencies == Void {
    /// A middleware that needs nothing injected.
    @inlinable
    public static func onAction(_ onAction: @escaping OnAction) -> EffectMiddleware {
        EffectMiddleware(dependencies: (), onAction: onAction)
    }
}

extension MiddlewareReader {
    /// A reader of an effect middleware, for places where the type is known: `.onAction { action, state, context in … }`.
    @inlinable
    public static func onAction<Input, Output, State>(
        _ onAction: @escaping EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    ) -> MiddlewareReader where MiddlewareType == EffectMiddleware<Input, Output, State, Dependencies> {
        MiddlewareReader { EffectMiddleware(dependencies: $0, onAction: onAction) }
    }

    /// A reader of an effect middleware with its type hidden.
    @inlinable
    public static func onAction<Input, Output, State>(
        _ onAction: @escaping EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    ) -> MiddlewareReader where MiddlewareType == AnyMiddleware<Input, Output, State> {
        MiddlewareReader { AnyMiddleware(EffectMiddleware(dependencies: $0, onAction: onAction)) }
    }
}
