// SPDX-License-Identifier: Apache-2.0

/// Turns a middleware on and off while the store runs, by actions or by state.
///
/// **By action.** The gate starts at its default. A control action equal to `turnOn` opens it, one equal to `turnOff`
/// closes it, before the middleware sees the action. Control actions always reach the middleware, whatever the gate, so
/// that it can stop what it started.
///
/// **By state.** The state before the reducers decides whether the middleware takes part in an action at all.
///
/// **Outputs.** Each output is let through if the gate is open at the moment it is emitted, otherwise dropped and
/// counted. Looking at the gate never changes it.
public final class GatedMiddleware<Inner: MiddlewareProtocol>: MiddlewareProtocol {
    public typealias InputActionType = Inner.InputActionType
    public typealias OutputActionType = Inner.OutputActionType
    public typealias StateType = Inner.StateType

    /// What the gate turns on and off.
    @usableFromInline let inner: Inner
    /// How the gate decides.
    @usableFromInline let control: GateControl<Inner.InputActionType, Inner.StateType>
    /// What becomes of running effects when it closes.
    @usableFromInline let onClose: GateClosing
    /// What was decided last; by state, what was seen last.
    public private(set) var gate: GateState
    /// Whether the action handled last reached the middleware.
    ///
    /// An owner that keeps the middleware's state gates its reducer by this: the decision is made once for each action,
    /// on the state before the reducers.
    @inlinable
    public var lastActionPassed: Bool { passed }
    /// See `lastActionPassed`.
    @usableFromInline var passed = false
    /// How many outputs were dropped because the gate was closed.
    public internal(set) var droppedOutputs = 0
    /// Reads the state for looks at the gate between actions.
    @usableFromInline var state: GetState<Inner.StateType>?
    /// Filters the outputs.
    @usableFromInline lazy var relay = OutputRelay<OutputActionType, OutputActionType> {
        [unowned self] in GateSink(parent: $0, gate: self)
    }

    /// Puts a gate in front of a middleware.
    @usableFromInline
    init(
        inner: Inner, control: GateControl<Inner.InputActionType, Inner.StateType>, default gate: GateState,
        onClose: GateClosing
    ) {
        self.inner = inner
        self.control = control
        self.gate = gate
        self.onClose = onClose
    }

    @inlinable
    public func handle(
        action: InputActionType, from dispatcher: ActionSource, state: GetState<StateType>
    ) -> IO<OutputActionType> {
        self.state = state
        passed = true
        switch control {
        case .action(let request):
            switch request(action) {
            case .become(let wanted): become(wanted)
            case .leave: break
            case nil: guard gate == .active else { return keepAway() }
            }
        case .state(let map):
            become(map(state()))
            guard gate == .active else { return keepAway() }
        }
        relay.release()
        return relay(inner.handle(action: action, from: dispatcher, state: state))
    }

    /// Passes the middleware by.
    @usableFromInline
    func keepAway() -> IO<OutputActionType> {
        passed = false
        return .pure()
    }

    public func start(state: GetState<StateType>) -> IO<OutputActionType> {
        self.state = state
        if case .state(let map) = control { gate = map(state()) }
        relay.release()
        return relay(inner.start(state: state))
    }

    /// Tells the middleware about a gate further out.
    @inlinable
    public func gateChanged(to gate: GateState) { inner.gateChanged(to: gate) }

    @inlinable
    public func cancelEffects() { inner.cancelEffects() }

    /// Looks at the state again and acts on a change; does nothing for a gate controlled by actions.
    ///
    /// A gate controlled by state is looked at when an action reaches it or an output leaves it. An owner that knows that
    /// the state changed calls this so that closing takes effect at once.
    @discardableResult
    public func refresh() -> GateState {
        if case .state(let map) = control, let state { become(map(state())) }
        return gate
    }

    /// Sets the gate and acts on a change.
    @usableFromInline
    func become(_ wanted: GateState) {
        if wanted != gate { change(to: wanted) }
    }

    /// Acts on a change.
    @usableFromInline
    func change(to wanted: GateState) {
        gate = wanted
        if wanted == .bypass, onClose == .cancel { inner.cancelEffects() }
        inner.gateChanged(to: wanted)
    }

    /// Whether an output may pass at this moment; never changes the gate.
    @usableFromInline
    var letsOutputsPass: Bool {
        guard case .state(let map) = control, let state else { return gate == .active }
        return map(state()) == .active
    }
}
