// SPDX-License-Identifier: Apache-2.0

/// The decision of one gate, apart from what it gates.
///
/// Outputs that come late ask the gate, so that they neither keep the gated middleware alive nor form a cycle with it.
/// Used in the drain only.
public final class Gate<Action: Sendable, State> {
    /// The action or state by which the gate decides.
    @usableFromInline let control: GateControl<Action, State>
    /// The position of the gate at present.
    @usableFromInline var current: GateState
    /// What other threads may know of the gate.
    public let status: GateStatus
    /// Reads the state for looks at the gate between actions.
    @usableFromInline var state: GetState<State>?

    /// A gate in its first position.
    @inlinable
    init(control: GateControl<Action, State>, position: GateState) {
        self.control = control
        current = position
        status = GateStatus(position)
    }

    deinit { status.end() }

    /// A gate moved by actions: control actions equal to `turnOn` open it, those equal to `turnOff` close it.
    ///
    /// `controlAction` gives nil for ordinary actions, and is asked once for each action, in the drain.
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

    /// A gate that stands as the state says.
    @inlinable
    public convenience init(state: @escaping (State) -> GateState) {
        self.init(control: .state(state), position: .active)
    }

    /// What was decided last; by state, what was seen last.
    @inlinable
    public var position: GateState { current }

    /// How many outputs were dropped because the gate was closed.
    public var droppedOutputs: Int { status.droppedOutputs }

    /// Lets an action move the gate, and tells whether the action may pass.
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

    /// Whether an action is a control action of this gate; never moves it.
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

    /// Looks at the state again; does nothing for a gate moved by actions.
    ///
    /// A gate moved by state is looked at when an action reaches it or an output leaves it. An owner that knows that the
    /// state changed calls this so that closing takes effect at once.
    @inlinable
    public func refresh(onChange: (GateState) -> Void) {
        if case .state(let map) = control, let state { become(map(state()), onChange) }
    }

    /// Moves the gate without an action, for who takes the place of another; does nothing for a gate moved by state.
    public func move(to position: GateState, onChange: (GateState) -> Void = { _ in }) {
        if case .action = control { become(position, onChange) }
    }

    /// Whether an output may pass at this moment, counting it when not; never moves the gate.
    @inlinable
    public func letsOutputPass() -> Bool {
        var position = current
        if case .state(let map) = control, let state { position = map(state()) }
        if position == .bypass { status.droppedOutput() }
        return position == .active
    }

    /// Moves the gate and tells about it.
    @inlinable
    func become(_ wanted: GateState, _ onChange: (GateState) -> Void) {
        guard wanted != current else { return }
        current = wanted
        onChange(wanted)
        status.moved(to: wanted)
    }
}
