// SPDX-License-Identifier: Apache-2.0

/// What `AnyMiddleware` calls; the concrete middleware is in the subclass.
@usableFromInline
class AnyMiddlewareBox<InputActionType: Sendable, OutputActionType: Sendable, StateType> {
    /// For subclasses.
    @inlinable
    init() {}

    /// Whether the middleware is an `IdentityMiddleware`.
    @usableFromInline var isIdentity: Bool { false }

    /// The middleware, if it is a composition.
    @usableFromInline var composition: ComposedMiddleware<InputActionType, OutputActionType, StateType>? { nil }

    @usableFromInline
    func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        .pure()
    }

    @usableFromInline
    func start(state: GetState<StateType>) -> IO<OutputActionType> { .pure() }

    @usableFromInline
    func gateChanged(to gate: GateState) {}

    @usableFromInline
    func cancelEffects() {}
}
