// SPDX-License-Identifier: Apache-2.0

/// Turns a middleware on and off while the store runs, by actions or by state, as the GatedMiddleware of SwiftRex does.
///
/// **By action.** The gate starts at its default. A control action equal to `turnOn` opens it, one equal to `turnOff`
/// closes it, before the middleware sees the action. Control actions always reach the middleware, whatever the gate, so
/// that it can stop what it started.
///
/// **By state.** The state before the reducers decides whether the middleware takes part in an action at all.
///
/// **Outputs.** Each output passes if the gate is open when it is emitted; otherwise it is dropped and counted. Reading
/// the gate never changes it.
///
/// ```swift
/// let whileOn = night.gated(state: \Lamp.isOn)
/// ```
public final class GatedMiddleware<Inner: MiddlewareProtocol>: MiddlewareProtocol {
    public typealias InputActionType = Inner.InputActionType
    public typealias OutputActionType = Inner.OutputActionType
    public typealias StateType = Inner.StateType

    /// The gated middleware.
    @usableFromInline let inner: Inner
    /// The fate of running effects when the gate closes.
    @usableFromInline let onClose: GateClosing
    /// The gate that decides whether the middleware takes part.
    @usableFromInline let decision: Gate<Inner.InputActionType, Inner.StateType>
    /// The relay that drops what the middleware emits while the gate is closed.
    @safe @exclusivity(unchecked) @usableFromInline var relay:
        OutputRelay<Inner.OutputActionType, Inner.OutputActionType>

    /// Puts a gate in front of a middleware.
    @inlinable
    public init(
        _ inner: Inner, behind gate: Gate<Inner.InputActionType, Inner.StateType>,
        onClose: GateClosing = .keep
    ) {
        self.inner = inner
        self.onClose = onClose
        decision = gate
        relay = OutputRelay { parent in
            ActionSink(before: parent) { action in
                if gate.letsOutputPass() { parent.emit(action) }
            }
        }
    }

    /// The gate's position and moves, for any thread; take it before you pass this middleware to a store.
    @inlinable
    public var status: GateStatus { decision.status }

    /// The last decision; for a gate moved by state, the last one seen.
    public var gate: GateState { decision.position }

    /// Only whether it supervises effects, which it does behind a gate too.
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> {
        inner.structure.supervises ? .supervising : .opaque
    }

    /// The number of outputs dropped because the gate was closed.
    public var droppedOutputs: Int { decision.droppedOutputs }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        guard decision.lets(action, pass: state, onChange: changed) else { return .pure() }
        relay.release()
        return relay(inner.handle(action: action, from: dispatcher, state: state))
    }

    @inlinable
    public func start(state: GetState<StateType>) -> IO<OutputActionType> {
        decision.start(state)
        relay.release()
        return relay(inner.start(state: state))
    }

    /// Calls the middleware whatever the gate, as `start` does; the gate decides about its outputs.
    @inlinable
    public func stopping(state: GetState<StateType>) -> IO<OutputActionType> {
        relay.release()
        return relay(inner.stopping(state: state))
    }

    /// Notifies the middleware of a gate further out.
    public func gateChanged(to gate: GateState) { inner.gateChanged(to: gate) }

    public func cancelEffects() { inner.cancelEffects() }

    public func stopEffects() { inner.stopEffects() }

    /// Reads the state again and acts on a change; does nothing for a gate moved by actions; see `Gate.refresh`.
    @discardableResult
    public func refresh() -> GateState {
        decision.refresh(onChange: changed)
        return decision.position
    }

    /// Cancels effects if closing does that, and notifies the middleware of the gate's position.
    @inlinable
    func changed(_ position: GateState) {
        if position == .bypass, onClose == .cancel { inner.cancelEffects() }
        inner.gateChanged(to: position)
    }
}
