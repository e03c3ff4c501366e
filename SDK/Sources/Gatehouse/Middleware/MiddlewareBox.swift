// SPDX-License-Identifier: Apache-2.0

/// Forwards to one middleware.
@usableFromInline
final class MiddlewareBox<Middleware: MiddlewareProtocol>: AnyMiddlewareBox<
    Middleware.InputActionType, Middleware.OutputActionType, Middleware.StateType
>
{
    /// The middleware whose type is hidden.
    @usableFromInline let middleware: Middleware

    /// A box around a middleware.
    @inlinable
    init(_ middleware: Middleware) {
        self.middleware = middleware
    }

    @inlinable
    override var isIdentity: Bool {
        middleware is IdentityMiddleware<InputActionType, OutputActionType, StateType>
    }

    @inlinable
    override var composition: ComposedMiddleware<InputActionType, OutputActionType, StateType>? {
        middleware as? ComposedMiddleware<InputActionType, OutputActionType, StateType>
    }

    @inlinable
    override func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        middleware.handle(action: action, from: dispatcher, state: state)
    }

    @inlinable
    override func start(state: GetState<StateType>) -> IO<OutputActionType> { middleware.start(state: state) }

    @inlinable
    override func gateChanged(to gate: GateState) { middleware.gateChanged(to: gate) }

    @inlinable
    override func cancelEffects() { middleware.cancelEffects() }

    @usableFromInline typealias InputActionType = Middleware.InputActionType
    @usableFromInline typealias OutputActionType = Middleware.OutputActionType
    @usableFromInline typealias StateType = Middleware.StateType
}
