// SPDX-License-Identifier: Apache-2.0

/// Initializers that put a gate in front of a middleware; `gated` does the same as a method of the middleware.
extension GatedMiddleware {
    /// Gates by actions, with the two control actions that open and close.
    @inlinable
    public convenience init<ControlAction: Equatable>(
        middleware: Inner, controlActionMap: @escaping (Inner.InputActionType) -> ControlAction?,
        turnOn: ControlAction, turnOff: ControlAction, default gateState: GateState,
        onClose: GateClosing = .keep
    ) {
        self.init(
            middleware,
            behind: Gate(
                controlAction: controlActionMap, turnOn: turnOn, turnOff: turnOff, default: gateState),
            onClose: onClose)
    }

    /// Gates by actions found at a key path.
    @inlinable
    public convenience init<ControlAction: Equatable>(
        middleware: Inner, controlAction: KeyPath<Inner.InputActionType, ControlAction?>,
        turnOn: ControlAction, turnOff: ControlAction, default gateState: GateState,
        onClose: GateClosing = .keep
    ) {
        self.init(
            middleware: middleware, controlActionMap: { $0[keyPath: controlAction] }, turnOn: turnOn,
            turnOff: turnOff, default: gateState, onClose: onClose)
    }

    /// Gates by the state.
    @inlinable
    public convenience init(
        middleware: Inner, stateMap: @escaping (Inner.StateType) -> GateState, onClose: GateClosing = .keep
    ) {
        self.init(middleware, behind: Gate(state: stateMap), onClose: onClose)
    }

    /// Gates by the state at a key path.
    @inlinable
    public convenience init(
        middleware: Inner, state: KeyPath<Inner.StateType, GateState>, onClose: GateClosing = .keep
    ) {
        self.init(middleware: middleware, stateMap: { $0[keyPath: state] }, onClose: onClose)
    }
}
