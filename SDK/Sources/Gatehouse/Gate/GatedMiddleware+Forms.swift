// SPDX-License-Identifier: Apache-2.0

/// The forms in which a gate is put in front of a middleware by name; `gated` says the same behind the middleware.
extension GatedMiddleware {
    /// By action, with the two control actions that open and close.
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

    /// By action found at a key path.
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

    /// Puts a gate that follows the state in front of the middleware.
    @inlinable
    public convenience init(
        middleware: Inner, stateMap: @escaping (Inner.StateType) -> GateState, onClose: GateClosing = .keep
    ) {
        self.init(middleware, behind: Gate(state: stateMap), onClose: onClose)
    }

    /// By state at a key path.
    @inlinable
    public convenience init(
        middleware: Inner, state: KeyPath<Inner.StateType, GateState>, onClose: GateClosing = .keep
    ) {
        self.init(middleware: middleware, stateMap: { $0[keyPath: state] }, onClose: onClose)
    }
}
