// SPDX-License-Identifier: Apache-2.0

/// One action on its way through the interceptors, with everything they need; for wrappers of interceptors.
@frozen
public struct Interception<Action: Sendable, State> {
    /// The intercepted action.
    public let action: Action
    /// The place or instance that dispatched the action.
    public let dispatcher: ActionSource
    /// Reads the state, and changes it by actions of the interceptor's own.
    public let state: OwnState<Action, State>
    /// Takes the actions that interceptors emit.
    public let output: AnyActionHandler<Action>
    /// The rest of the way, on which the interceptor lets the action pass once, late or never.
    public let onward: Onward<Action>

    /// Creates an interception, for wrappers of interceptors.
    @inlinable
    public init(
        action: Action, from dispatcher: ActionSource, state: OwnState<Action, State>,
        output: AnyActionHandler<Action>, onward: Onward<Action>
    ) {
        self.action = action
        self.dispatcher = dispatcher
        self.state = state
        self.output = output
        self.onward = onward
    }

    /// Returns the same for another action and another rest of the way.
    @inlinable
    public func with(action: Action, onward: Onward<Action>) -> Interception {
        Interception(action: action, from: dispatcher, state: state, output: output, onward: onward)
    }
}
