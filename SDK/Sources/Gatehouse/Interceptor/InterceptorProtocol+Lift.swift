// SPDX-License-Identifier: Apache-2.0

/// Fits an interceptor to larger action and state types; an axis that is left out keeps its type.
///
/// An action that the input map turns into nil passes by untouched. An action that the part lets pass without replacing it
/// continues as it came, not mapped back. The maps run in the drain; the input map must be quick and without side effects,
/// because it may run more than once for an action. Actions that the part applies are mapped like outputs.
extension InterceptorProtocol {
    /// Fits actions and state.
    @inlinable
    public func lift<GlobalActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalActionType) -> ActionType?,
        outputAction outputActionMap: @escaping (ActionType) -> GlobalActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> AnyInterceptor<GlobalActionType, GlobalStateType> {
        let part = eraseToAnyInterceptor()
        if part.isIdentity { return .identity }
        var outputs = SinkCache { ActionSink<ActionType>(mappingTo: $0, outputActionMap) }
        var states = OwnStateCache { $0.map(action: outputActionMap, state: stateMap) }
        return AnyInterceptor(
            concerns: { action in inputActionMap(action).map { part.concerns($0) } ?? false },
            enter: { way in
                guard let local = inputActionMap(way.action) else { return way.onward.pass(nil) }
                let outer = way.onward
                part.enter(
                    Interception(
                        action: local, from: way.dispatcher, state: states(way.state),
                        output: outputs.handler(for: way.output),
                        onward: Onward(before: outer, late: { $0.map(outputActionMap) }) {
                            outer.pass($0.map(outputActionMap))
                        }))
            },
            gateChanged: { part.gateChanged(to: $0) })
    }

    /// Fits the actions only.
    @inlinable
    public func lift<GlobalActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalActionType) -> ActionType?,
        outputAction outputActionMap: @escaping (ActionType) -> GlobalActionType
    ) -> AnyInterceptor<GlobalActionType, StateType> {
        lift(inputAction: inputActionMap, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the state only.
    @inlinable
    public func lift<GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> AnyInterceptor<ActionType, GlobalStateType> {
        lift(inputAction: { $0 }, outputAction: { $0 }, state: stateMap)
    }
}
