// SPDX-License-Identifier: Apache-2.0

/// Sees every action before the reducers, and answers with work to be done after them.
///
/// The store calls its middlewares in the drain: one call at a time, in order, on no particular thread. A middleware need not
/// be `Sendable` and needs no locks. It cannot stop an action and never writes state; it acts by emitting actions through the
/// `IO` it returns.
///
/// ## Implementing this protocol
/// Only `handle` is required, and it must return promptly. A middleware that wraps another forwards all six calls.
///
/// ```swift
/// func handle(
///     action: LampAction, from dispatcher: ActionSource, state: GetState<Lamp>
/// ) -> IO<LampAction> {
///     let before = state().brightness
///     return IO { [trace] _ in trace.add("\(before) -> \(state().brightness)") }
/// }
/// ```
public protocol MiddlewareProtocol<InputActionType, OutputActionType, StateType> {
    /// The type of the actions it handles.
    associatedtype InputActionType: Sendable
    /// The type of the actions it emits; `Never` for one that only listens.
    associatedtype OutputActionType: Sendable
    /// The type of the state it reads; `Void` for none.
    associatedtype StateType

    /// Called once for each action, before the reducers; the returned work runs after them, last middleware first.
    ///
    /// `state` is live: here it returns the state before the reducers, in the returned `IO` the state after them.
    func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType>

    /// Called once, before the first action; the returned work runs at once.
    func start(state: GetState<StateType>) -> IO<OutputActionType>

    /// Called once after the last input, when the run ends or is asked to end, or when a running host removes this middleware.
    ///
    /// The returned work runs at once. Its output is processed like any other, and the owner waits for `finishing` effects as
    /// long as it has time. Actions may still come: answers of such effects, actions that others emit here and, if another
    /// instance will take its place, everything that arrives until then, so that nothing is lost between the two.
    func stopping(state: GetState<StateType>) -> IO<OutputActionType>

    /// Called after a gate around this middleware has opened or closed.
    func gateChanged(to gate: GateState)

    /// Cancels every running effect; later actions may start others.
    ///
    /// Called when a gate closes with `.cancel`, and when the owner is released.
    func cancelEffects()

    /// Cancels the running effects that are not `finishing`; each may emit one last action first.
    ///
    /// Called in the drain, just before `stopping`.
    func stopEffects()

    /// The structure that erasing, composing and lifting may use; `.opaque` by default.
    ///
    /// Read when the middleware is erased, possibly more than once.
    var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { get }
}

extension MiddlewareProtocol {
    /// Does nothing before the first action.
    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> { .pure() }

    /// Does nothing at the end.
    @inlinable
    public func stopping(state: GetState<StateType>) -> IO<OutputActionType> { .pure() }

    /// Does nothing; enough for a middleware that need not know its gate.
    public func gateChanged(to gate: GateState) {}

    /// Does nothing: there are no effects.
    public func cancelEffects() {}

    /// Does nothing: there are no effects.
    public func stopEffects() {}

    /// Returns this middleware with its type hidden; an erased middleware is returned as it is.
    @inlinable
    public func eraseToAnyMiddleware() -> AnyMiddleware<InputActionType, OutputActionType, StateType> {
        AnyMiddleware(self)
    }
}
