// SPDX-License-Identifier: Apache-2.0

/// Stands in front of the middlewares and reducers, and decides what becomes of each action.
///
/// The interceptors of a store form a ring around everything else, in their order. What one does before `next` sees the
/// state before; `next` returns after the reducers, so what it does afterwards sees the state after. The work that the
/// middlewares returned runs when the outermost interceptor has returned.
///
/// The store calls its interceptors in the drain, one call at a time, on no particular thread. An interceptor need not be
/// `Sendable` and needs no locks.
///
/// ## Implementing this protocol
/// Only `intercept` is required, and it must return promptly. To delay an action, keep `next.holdingRun()` and return.
public protocol InterceptorProtocol<ActionType, StateType> {
    /// The actions it decides about, and emits.
    associatedtype ActionType: Sendable
    /// The state it reads; `Void` for none.
    associatedtype StateType

    /// Whether it wants to see an action; others pass it by.
    ///
    /// Asked before an action comes to it, possibly more than once, so it must be quick and without effect.
    func concerns(_ action: ActionType) -> Bool

    /// Decides about one action.
    ///
    /// - Parameters:
    ///   - action: as it came, or as the interceptor before let it pass.
    ///   - dispatcher: where it came from.
    ///   - state: live, and to be changed by actions of its own; for use in the drain only.
    ///   - output: takes actions that join the end of the queue; may be kept and called from any thread.
    ///   - next: call it to let the action pass, with another action to replace it, not at all to stop it, later to
    ///     delay it.
    func intercept(
        action: ActionType, from dispatcher: ActionSource, state: OwnState<ActionType, StateType>,
        output: AnyActionHandler<ActionType>, next: Next<ActionType>)

    /// Called when a gate around this interceptor opens or closes, after the change.
    func gateChanged(to gate: GateState)
}

extension InterceptorProtocol {
    /// Wants to see every action.
    @inlinable
    public func concerns(_ action: ActionType) -> Bool { true }

    /// Does nothing, which is enough for an interceptor that need not know its gate.
    @inlinable
    public func gateChanged(to gate: GateState) {}

    /// This interceptor with its type hidden; an erased interceptor is returned as it is.
    @inlinable
    public func eraseToAnyInterceptor() -> AnyInterceptor<ActionType, StateType> {
        AnyInterceptor(self)
    }
}
