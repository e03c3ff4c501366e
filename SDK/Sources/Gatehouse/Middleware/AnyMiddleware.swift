// SPDX-License-Identifier: Apache-2.0

/// A middleware whose concrete type is hidden.
///
/// It keeps the middleware alive, and remembers whether it is an identity or a composition, so that composing later
/// drops the one and flattens the other.
@frozen
public struct AnyMiddleware<InputActionType: Sendable, OutputActionType: Sendable, StateType>:
    MiddlewareProtocol
{
    /// Forwards to the middleware.
    @usableFromInline let box: AnyMiddlewareBox<InputActionType, OutputActionType, StateType>

    /// Hides the type of a middleware; an erased one is taken as it is.
    @inlinable
    public init<Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>>(
        _ middleware: Middleware
    ) {
        if let erased = middleware as? AnyMiddleware {
            self = erased
        } else {
            box = AnyMiddlewareBox(middleware)
        }
    }

    /// A middleware that consists of its `handle` function.
    @inlinable
    public init(
        handle: @escaping (InputActionType, ActionSource, GetState<StateType>) -> IO<OutputActionType>
    ) {
        box = AnyMiddlewareBox(handle: handle)
    }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        box.handle(action, dispatcher, state)
    }

    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> { box.start(state) }

    @inlinable
    public func stopping(state: GetState<StateType>) -> IO<OutputActionType> { box.stopping(state) }

    @inlinable
    public func gateChanged(to gate: GateState) { box.gateChanged(gate) }

    @inlinable
    public func cancelEffects() { box.cancelEffects() }

    @inlinable
    public func stopEffects() { box.stopEffects() }

    /// Whether it does nothing, known from its type.
    @inlinable
    public var isIdentity: Bool { box.isIdentity }

    /// The members, if this is a composition.
    @inlinable
    public var composition: ComposedMiddleware<InputActionType, OutputActionType, StateType>? {
        box.composition
    }

    /// The middleware itself, not wrapped a second time.
    @inlinable
    public func eraseToAnyMiddleware() -> AnyMiddleware { self }
}

extension AnyMiddleware: Monoid {
    /// A middleware that does nothing.
    @inlinable
    public static var identity: AnyMiddleware { AnyMiddleware(IdentityMiddleware()) }

    /// Both in a row, left first; one that does nothing is left out.
    @inlinable
    public static func <> (lhs: AnyMiddleware, rhs: AnyMiddleware) -> AnyMiddleware {
        if lhs.isIdentity { return rhs }
        return rhs.isIdentity ? lhs : AnyMiddleware(ComposedMiddleware([lhs, rhs]))
    }
}
