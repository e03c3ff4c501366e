// SPDX-License-Identifier: Apache-2.0

/// A receiver of actions: a store, a projection of one, or the output of a middleware.
public protocol ActionHandler<ActionType> {
    /// The type of the actions.
    associatedtype ActionType: Sendable

    /// Dispatches one action; callable from any thread.
    ///
    /// Waits for other threads only if a queue has a limit and is full.
    func dispatch(_ dispatchedAction: DispatchedAction<ActionType>)
}

extension ActionHandler {
    /// Dispatches an action whose source is the place of this call.
    @inlinable
    public func dispatch(
        _ action: ActionType, file: String = #file, function: String = #function, line: UInt = #line,
        info: String? = nil
    ) {
        dispatch(DispatchedAction(action, file: file, function: function, line: line, info: info))
    }

    /// Dispatches an action on behalf of another place.
    @inlinable
    public func dispatch(_ action: ActionType, from dispatcher: ActionSource) {
        dispatch(DispatchedAction(action, dispatcher: dispatcher))
    }
}
