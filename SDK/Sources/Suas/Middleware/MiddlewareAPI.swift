// SPDX-License-Identifier: Apache-2.0

/// A connected middleware's access to its store; callable from any thread, at any time.
public struct MiddlewareAPI: Sendable {
    /// Returns the state at the moment of the call.
    public let getState: GetStateFunction
    /// Puts an action at the end of the store's queue.
    private let dispatchFunction: DispatchFunction

    /// Combines the functions of one store.
    public init(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction) {
        self.getState = getState
        dispatchFunction = dispatch
    }

    /// The state at this moment.
    public var state: State { getState() }

    /// Sends an action through the whole store; see `DispatchFunction`.
    public func dispatch(action: any Action) { dispatchFunction(action) }
}
