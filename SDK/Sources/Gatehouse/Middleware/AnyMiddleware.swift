// SPDX-License-Identifier: Apache-2.0

/// A type-erased middleware.
///
/// It keeps the middleware alive, and remembers whether it is an identity or a composition, so that later composing
/// drops the former and flattens the latter.
@frozen
public struct AnyMiddleware<InputActionType: Sendable, OutputActionType: Sendable, StateType>:
    MiddlewareProtocol
{
    /// Forwards to the middleware.
    @usableFromInline let box: AnyMiddlewareBox<InputActionType, OutputActionType, StateType>

    /// Creates a middleware that hides the type of another; an erased one is taken as it is.
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

    /// Creates a middleware from its `handle` function.
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

    public func gateChanged(to gate: GateState) { box.gateChanged(gate) }

    public func cancelEffects() { box.cancelEffects() }

    public func stopEffects() { box.stopEffects() }

    /// Whether the middleware's type shows that it does nothing.
    @inlinable
    public var isIdentity: Bool {
        if case .identity = structure { true } else { false }
    }

    /// The middleware as a composition, if it is one.
    @inlinable
    public var composition: ComposedMiddleware<InputActionType, OutputActionType, StateType>? {
        if case .composition(let whole) = structure { whole } else { nil }
    }

    /// Returns the middleware itself, not wrapped a second time.
    @inlinable
    public func eraseToAnyMiddleware() -> AnyMiddleware { self }
}

extension AnyMiddleware: Monoid {
    /// A middleware that does nothing.
    @inlinable
    public static var identity: AnyMiddleware { AnyMiddleware(IdentityMiddleware()) }

    /// Composes both, left first; drops one that does nothing.
    @inlinable
    public static func <> (lhs: AnyMiddleware, rhs: AnyMiddleware) -> AnyMiddleware {
        if lhs.isIdentity { return rhs }
        return rhs.isIdentity ? lhs : AnyMiddleware(ComposedMiddleware([lhs, rhs]))
    }
}
