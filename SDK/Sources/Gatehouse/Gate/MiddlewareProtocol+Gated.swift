// SPDX-License-Identifier: Apache-2.0

/// The ten ways to put a gate in front of a middleware; see `GatedMiddleware`.
///
/// `onClose` determines the fate of running effects when the gate closes.
extension MiddlewareProtocol {
    /// Gates by actions: a map finds control actions, and two values of them open and close.
    @inlinable
    public func gated<ControlAction: Equatable>(
        controlActionMap: @escaping (InputActionType) -> ControlAction?,
        turnOn: ControlAction, turnOff: ControlAction, default gate: GateState, onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        GatedMiddleware(
            self,
            behind: Gate(controlAction: controlActionMap, turnOn: turnOn, turnOff: turnOff, default: gate),
            onClose: onClose)
    }

    /// Gates by actions: a key path finds control actions, and two values of them open and close.
    @inlinable
    public func gated<ControlAction: Equatable>(
        controlAction: KeyPath<InputActionType, ControlAction?>,
        turnOn: ControlAction, turnOff: ControlAction, default gate: GateState, onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(
            controlActionMap: { $0[keyPath: controlAction] }, turnOn: turnOn, turnOff: turnOff, default: gate,
            onClose: onClose)
    }

    /// Gates by actions that carry a Boolean, found by a map: true opens, false closes.
    @inlinable
    public func gated(
        controlActionMap: @escaping (InputActionType) -> Bool?, default gate: GateState,
        onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(
            controlActionMap: controlActionMap, turnOn: true, turnOff: false, default: gate, onClose: onClose)
    }

    /// Gates by actions that carry a Boolean at a key path: true opens, false closes.
    @inlinable
    public func gated(
        controlAction: KeyPath<InputActionType, Bool?>, default gate: GateState, onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(controlAction: controlAction, turnOn: true, turnOff: false, default: gate, onClose: onClose)
    }

    /// Gates by actions that carry the wanted position, found by a map.
    @inlinable
    public func gated(
        controlActionMap: @escaping (InputActionType) -> GateState?, default gate: GateState,
        onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(
            controlActionMap: controlActionMap, turnOn: .active, turnOff: .bypass, default: gate,
            onClose: onClose)
    }

    /// Gates by actions that carry the wanted position at a key path.
    @inlinable
    public func gated(
        controlAction: KeyPath<InputActionType, GateState?>, default gate: GateState,
        onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(
            controlAction: controlAction, turnOn: .active, turnOff: .bypass, default: gate, onClose: onClose)
    }

    /// Gates by the state: a map returns the position, each time the gate is read.
    @inlinable
    public func gated(
        stateMap: @escaping (StateType) -> GateState, onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        GatedMiddleware(self, behind: Gate(state: stateMap), onClose: onClose)
    }

    /// Gates by the position at a key path of the state.
    @inlinable
    public func gated(
        state: KeyPath<StateType, GateState>, onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(stateMap: { $0[keyPath: state] }, onClose: onClose)
    }

    /// Gates by a Boolean in the state, given by a map: true is active.
    @inlinable
    public func gated(
        stateMap: @escaping (StateType) -> Bool, onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(stateMap: { GateState(active: stateMap($0)) }, onClose: onClose)
    }

    /// Gates by a Boolean in the state at a key path: true is active.
    @inlinable
    public func gated(
        state: KeyPath<StateType, Bool>, onClose: GateClosing = .keep
    ) -> GatedMiddleware<Self> {
        gated(stateMap: { GateState(active: $0[keyPath: state]) }, onClose: onClose)
    }
}
