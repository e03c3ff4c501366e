// SPDX-License-Identifier: Apache-2.0

/// Sees every action before the reducers, and answers with work to be done after them.
///
/// The store calls its middlewares in the drain: one call at a time, in order, on no particular thread. A middleware
/// need not be `Sendable` and needs no locks. It cannot stop an action and never writes state; it acts by emitting
/// actions through the `IO` it returns.
///
/// ## Implementing this protocol
/// Only `handle` is required, and it must return promptly. A middleware that wraps another forwards all six calls.
public protocol MiddlewareProtocol<InputActionType, OutputActionType, StateType> {
    /// The actions it hears.
    associatedtype InputActionType: Sendable
    /// The actions it emits; `Never` for one that only listens.
    associatedtype OutputActionType: Sendable
    /// The state it reads; `Void` for none.
    associatedtype StateType

    /// Called once for each action, before the reducers; the returned work runs after them, last middleware first.
    ///
    /// `state` is live: here it gives the state before the reducers, in the returned `IO` the state after them.
    func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType>

    /// Called once, before the first action; the returned work runs at once.
    func start(state: GetState<StateType>) -> IO<OutputActionType>

    /// Called once, when the run ends or is asked to end, after the last input, or when a running host lets go of this middleware;
    /// the returned work runs at once.
    ///
    /// What it emits is processed like everything else, and effects of it that are `finishing` are waited for, as long as the
    /// owner has time. Actions may still come: answers of such effects, what others emit here and, where another instance is to
    /// take its place, all that comes until then, so that none is lost between the two.
    func stopping(state: GetState<StateType>) -> IO<OutputActionType>

    /// Called when a gate around this middleware opens or closes, after the change.
    func gateChanged(to gate: GateState)

    /// Cancels every effect that is running; later actions may start others.
    ///
    /// Called when a gate closes with `.cancel`, and when the owner goes.
    func cancelEffects()

    /// Cancels the running effects that are not `finishing`; each may emit one last action before.
    ///
    /// Called in the drain, just before `stopping`.
    func stopEffects()

    /// What erasing, composing and lifting may know about it; `.opaque` unless written.
    ///
    /// Asked when the middleware is erased, possibly more than once.
    var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { get }
}

extension MiddlewareProtocol {
    /// Nothing to do before the first action.
    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> { .pure() }

    /// Nothing to do at the end.
    @inlinable
    public func stopping(state: GetState<StateType>) -> IO<OutputActionType> { .pure() }

    /// Does nothing, which is enough for a middleware that need not know its gate.
    @inlinable
    public func gateChanged(to gate: GateState) {}

    /// No effects to cancel.
    @inlinable
    public func cancelEffects() {}

    /// No effects to stop.
    @inlinable
    public func stopEffects() {}

    /// This middleware with its type hidden; an erased middleware is returned as it is.
    @inlinable
    public func eraseToAnyMiddleware() -> AnyMiddleware<InputActionType, OutputActionType, StateType> {
        AnyMiddleware(self)
    }
}
