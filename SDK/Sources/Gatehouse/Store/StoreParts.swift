// SPDX-License-Identifier: Apache-2.0

/// The parts of a store: they may know each other, and from its creation on belong to the store alone.
public struct StoreParts<ActionType: Sendable, StateType> {
    /// The state before the first action.
    public let initialState: StateType
    /// Applied once for each action.
    public let reducer: Reducer<ActionType, StateType>
    /// Sees each action before the reducer.
    public let middleware: AnyMiddleware<ActionType, ActionType, StateType>
    /// Decide about each action before the middleware, the first one outermost.
    public let interceptors: [AnyInterceptor<ActionType, StateType>]

    /// Creates the parts of one store.
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

    /// Creates the parts of one store from a behavior, which is reducer and middleware, and its dependencies.
    public init<Dependencies>(
        initialState: StateType, behavior: Behavior<ActionType, StateType, Dependencies>,
        dependencies: Dependencies, interceptors: [AnyInterceptor<ActionType, StateType>] = []
    ) {
        let parts = behavior.parts()
        self.init(
            initialState: initialState, reducer: parts.reducer,
            middleware: parts.reader.inject(dependencies), interceptors: interceptors)
    }
}
