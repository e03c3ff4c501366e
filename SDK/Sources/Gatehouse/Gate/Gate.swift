// SPDX-License-Identifier: Apache-2.0

/// The decision of one gate, separate from the gated middleware.
///
/// Late outputs ask the gate, so that they neither keep the gated middleware alive nor form a cycle with it. Used in the
/// drain only.
public final class Gate<Action: Sendable, State> {
    /// Decides by the action or the state.
    @usableFromInline let control: GateControl<Action, State>
    /// The current position.
    @safe @exclusivity(unchecked) @usableFromInline var current: GateState
    /// The gate's status for other threads.
    public let status: GateStatus
    /// Reads the state, for decisions between actions.
    @safe @exclusivity(unchecked) @usableFromInline var state: GetState<State>?

    /// Creates a gate in its first position.
    @inlinable
    init(control: GateControl<Action, State>, position: GateState) {
        self.control = control
        current = position
        status = GateStatus(position)
    }

    deinit { status.end() }

    /// Creates a gate moved by actions: control actions equal to `turnOn` open it, those equal to `turnOff` close it.
    ///
    /// `controlAction` returns nil for ordinary actions, and is called once for each action, in the drain.
    @inlinable
    public convenience init<ControlAction: Equatable>(
        controlAction: @escaping (Action) -> ControlAction?, turnOn: ControlAction, turnOff: ControlAction,
        default position: GateState
    ) {
        self.init(
            control: .action { action in
                guard let control = controlAction(action) else { return nil }
                if control == turnOn { return .become(.active) }
                return control == turnOff ? .become(.bypass) : .leave
            },
            position: position)
    }

    /// Creates a gate that follows the state.
    @inlinable
    public convenience init(state: @escaping (State) -> GateState) {
        self.init(control: .state(state), position: .active)
    }

    /// The last decision; for a gate moved by state, the last one seen.
    @inlinable
    public var position: GateState { current }

    /// The number of outputs dropped because the gate was closed.
    public var droppedOutputs: Int { status.droppedOutputs }

    /// Lets an action move the gate, and returns whether the action may pass.
    ///
    /// `onChange` is called after the gate has moved, before the action passes.
    @inlinable
    public func lets(
        _ action: Action, pass state: GetState<State>, onChange: (GateState) -> Void
    ) -> Bool {
        switch control {
        case .action(let request):
            switch request(action) {
            case nil: return current == .active
            case .leave: return true
            case .become(let wanted):
                become(wanted, onChange)
                return true
            }
        case .state(let map):
            if self.state?.identity !== state.identity { self.state = state }
            become(map(state()), onChange)
            return current == .active
        }
    }

    /// Returns whether an action is a control action of this gate; never moves it.
    @inlinable
    public func isMoved(by action: Action) -> Bool {
        if case .action(let request) = control { request(action) != nil } else { false }
    }

    /// Takes its first position from the state; called once, before the first action.
    @inlinable
    public func start(_ state: GetState<State>) {
        self.state = state
        guard case .state(let map) = control else { return }
        current = map(state())
        status.moved(to: current)
    }

    /// Reads the state again; does nothing for a gate moved by actions.
    ///
    /// A gate moved by state reads it when an action reaches the gate or an output leaves it. An owner that knows that
    /// the state changed calls this so that closing takes effect at once.
    @inlinable
    public func refresh(onChange: (GateState) -> Void) {
        if case .state(let map) = control, let state { become(map(state()), onChange) }
    }

    /// Moves the gate without an action, when it replaces another; does nothing for a gate moved by state.
    public func move(to position: GateState, onChange: (GateState) -> Void = { _ in }) {
        if case .action = control { become(position, onChange) }
    }

    /// Returns whether an output may pass at this moment, counting it if not; never moves the gate.
    @inlinable
    public func letsOutputPass() -> Bool {
        var position = current
        if case .state(let map) = control, let state { position = map(state()) }
        if position == .bypass { status.droppedOutput() }
        return position == .active
    }

    /// Moves the gate and reports the change.
    @inlinable
    func become(_ wanted: GateState, _ onChange: (GateState) -> Void) {
        guard wanted != current else { return }
        current = wanted
        onChange(wanted)
        status.moved(to: wanted)
    }
}
