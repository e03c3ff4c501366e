// SPDX-License-Identifier: Apache-2.0

/// Decides about each action before it reaches the middlewares and reducers.
///
/// The interceptors of a store form a ring around everything else, in their order. Code before `next` sees the state
/// before; `next` returns after the reducers, so code after it sees the state after. The work that the middlewares
/// returned runs when the outermost interceptor has returned.
///
/// The store calls its interceptors in the drain, one call at a time, on no particular thread. An interceptor need not be
/// `Sendable` and needs no locks.
///
/// ## Implementing this protocol
/// Only `intercept` is required, and it must return promptly. To delay an action, keep `next.holdingRun()` and return.
///
/// ```swift
/// func intercept(
///     action: LampAction, from dispatcher: ActionSource, state: OwnState<LampAction, Lamp>,
///     output: AnyActionHandler<LampAction>, next: Next<LampAction>
/// ) {
///     if action == .toggle || state().isOn { next() }
/// }
/// ```
public protocol InterceptorProtocol<ActionType, StateType> {
    /// The type of the actions it decides about, and emits.
    associatedtype ActionType: Sendable
    /// The type of the state it reads; `Void` for none.
    associatedtype StateType

    /// Returns whether it wants to see an action; others pass it by.
    ///
    /// Called before an action reaches it, possibly more than once, so it must be quick and without side effects.
    func concerns(_ action: ActionType) -> Bool

    /// Decides about one action.
    ///
    /// - Parameters:
    ///   - action: as it came, or as the previous interceptor let it pass.
    ///   - dispatcher: its source.
    ///   - state: live, and changeable by actions of its own; for use in the drain only.
    ///   - output: takes actions that join the end of the queue; may be kept and called from any thread.
    ///   - next: call it to let the action pass, with another action to replace it, not at all to stop it, later to
    ///     delay it.
    func intercept(
        action: ActionType, from dispatcher: ActionSource, state: OwnState<ActionType, StateType>,
        output: AnyActionHandler<ActionType>, next: Next<ActionType>)

    /// Called after a gate around this interceptor has opened or closed.
    func gateChanged(to gate: GateState)
}

extension InterceptorProtocol {
    /// Returns true: it sees every action.
    @inlinable
    public func concerns(_ action: ActionType) -> Bool { true }

    /// Does nothing; enough for an interceptor that need not know its gate.
    @inlinable
    public func gateChanged(to gate: GateState) {}

    /// Returns this interceptor with its type hidden; an erased interceptor is returned as it is.
    @inlinable
    public func eraseToAnyInterceptor() -> AnyInterceptor<ActionType, StateType> { AnyInterceptor(self) }
}
