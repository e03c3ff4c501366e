// SPDX-License-Identifier: Apache-2.0

/// What one instance does with an action: its reducer and its middlewares, made together because they may know each other.
public struct PluginLogic<Action: PluginAction, State, Context> {
    /// The reducer, which changes the instance's slice.
    public let reducer: Reducer<Action, State>
    /// The middlewares, in order, before anything is injected.
    public let readers: [MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>]

    /// Puts a reducer and its middlewares together.
    @inlinable
    public init(
        reducer: Reducer<Action, State>,
        readers: [MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>]
    ) {
        self.reducer = reducer
        self.readers = readers
    }
}
