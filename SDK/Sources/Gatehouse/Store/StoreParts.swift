// SPDX-License-Identifier: Apache-2.0

/// What a store takes over: parts that may know each other, and from then on belong to the store alone.
public struct StoreParts<ActionType: Sendable, StateType> {
    /// The state before the first action.
    public let initialState: StateType
    /// Applied once for each action.
    public let reducer: Reducer<ActionType, StateType>
    /// Sees each action before the reducer.
    public let middleware: AnyMiddleware<ActionType, ActionType, StateType>
    /// Decide about each action before the middleware, the first one outermost.
    public let interceptors: [AnyInterceptor<ActionType, StateType>]

    /// Parts of one store.
    @inlinable
    public init<Middleware: MiddlewareProtocol<ActionType, ActionType, StateType>>(
        initialState: StateType, reducer: Reducer<ActionType, StateType>, middleware: Middleware,
        interceptors: [AnyInterceptor<ActionType, StateType>] = []
    ) {
        self.initialState = initialState
        self.reducer = reducer
        self.middleware = middleware.eraseToAnyMiddleware()
        self.interceptors = interceptors
    }
}
