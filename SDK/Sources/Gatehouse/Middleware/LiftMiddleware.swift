// SPDX-License-Identifier: Apache-2.0

/// Fits a middleware to larger action and state types; made by `lift`.
///
/// An action that the input map turns into nil is not for the part: neither its `handle` nor the state map is called.
/// Otherwise the part sees the mapped action with the same source, reads a live mapped state, and each of its outputs is
/// mapped, however late it comes. The maps run in the drain.
public final class LiftMiddleware<
    InputActionType: Sendable, OutputActionType: Sendable, StateType,
    PartMiddleware: MiddlewareProtocol
>: MiddlewareProtocol {
    /// The middleware that was lifted.
    @usableFromInline let part: PartMiddleware
    /// Extracts the part's actions.
    @usableFromInline let inputAction: (InputActionType) -> PartMiddleware.InputActionType?
    /// Maps the part's outputs one by one, for lifting its members separately.
    @usableFromInline let outputAction: (PartMiddleware.OutputActionType) -> OutputActionType
    /// Maps the part's outputs.
    @safe @exclusivity(unchecked) @usableFromInline var relay:
        OutputRelay<PartMiddleware.OutputActionType, OutputActionType>
    /// Maps the whole state to the part's.
    @safe @exclusivity(unchecked) @usableFromInline var stateMap:
        StateMap<StateType, PartMiddleware.StateType>

    /// Lifts `part` along all three axes.
    @inlinable
    init(
        _ part: PartMiddleware,
        inputAction: @escaping (InputActionType) -> PartMiddleware.InputActionType?,
        outputAction: @escaping (PartMiddleware.OutputActionType) -> OutputActionType,
        state: @escaping (StateType) -> PartMiddleware.StateType
    ) {
        self.part = part
        self.inputAction = inputAction
        self.outputAction = outputAction
        relay = OutputRelay(map: outputAction)
        stateMap = StateMap(state)
    }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        guard let local = inputAction(action) else { return .pure() }
        relay.release()
        let io = part.handle(action: local, from: dispatcher, state: stateMap(state))
        return io.isPure ? .pure() : relay(io)
    }

    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> {
        relay.release()
        return relay(part.start(state: stateMap(state)))
    }

    @inlinable
    public func stopping(state: GetState<StateType>) -> IO<OutputActionType> {
        relay.release()
        return relay(part.stopping(state: stateMap(state)))
    }

    public func gateChanged(to gate: GateState) { part.gateChanged(to: gate) }

    public func cancelEffects() { part.cancelEffects() }

    public func stopEffects() { part.stopEffects() }
}
