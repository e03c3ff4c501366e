// SPDX-License-Identifier: Apache-2.0

/// The reducer and middlewares of one instance, made together because they may know each other.
public struct PluginLogic<Action: PluginAction, State, Context> {
    /// The reducer, which changes the instance's slice.
    public let reducer: Reducer<Action, State>
    /// The middlewares, in order, before injection.
    public let readers: [MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>]

    /// Combines a reducer and its middlewares.
    @inlinable
    public init(
        reducer: Reducer<Action, State>,
        readers: [MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>]
    ) {
        self.reducer = reducer
        self.readers = readers
    }
}
