// SPDX-License-Identifier: Apache-2.0

/// Fits one of a plugin's middlewares to the host's types in one step.
///
/// The same as `lift` with decoding as input map, naming as output map and the slice as state map, without the lookups that
/// such a lift repeats for each action: there is one coding, and the state is read from one place.
@usableFromInline
final class PluginLift<Action: PluginAction, State: Sendable>: MiddlewareProtocol {
    /// The plugin's middleware.
    @usableFromInline let part: AnyMiddleware<Action, Action, State>
    /// Converts actions to the plugin's and back.
    @usableFromInline let coding: ActionCoding<Action>
    /// Whether this middleware reports payloads that do not decode.
    @usableFromInline let isReporting: Bool
    /// Reads the instance's own state.
    @usableFromInline let state: GetState<State>
    /// Passes the outputs on.
    @safe @exclusivity(unchecked) @usableFromInline var relay: OutputRelay<Action, AnyAction>

    /// Lifts one middleware of an instance.
    @inlinable
    init(
        _ part: AnyMiddleware<Action, Action, State>, coding: ActionCoding<Action>, isReporting: Bool,
        box: TypedSliceBox<State>
    ) {
        self.part = part
        self.coding = coding
        self.isReporting = isReporting
        state = GetState { box.current }
        relay = OutputRelay { parent in ActionSink(before: parent) { coding.emit($0, to: parent) } }
    }

    @inlinable
    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<Slice>
    ) -> IO<AnyAction> {
        guard let local = coding.decode(action, isReporting: isReporting) else { return .pure() }
        relay.release()
        let io = part.handle(action: local, from: dispatcher, state: self.state)
        return io.isPure ? .pure() : relay(io)
    }

    @inlinable
    func start(state: GetState<Slice>) -> IO<AnyAction> {
        relay.release()
        return relay(part.start(state: self.state))
    }

    @inlinable
    func stopping(state: GetState<Slice>) -> IO<AnyAction> {
        relay.release()
        return relay(part.stopping(state: self.state))
    }

    @inlinable
    func gateChanged(to gate: GateState) { part.gateChanged(to: gate) }

    @inlinable
    func cancelEffects() { part.cancelEffects() }

    @inlinable
    func stopEffects() { part.stopEffects() }
}
