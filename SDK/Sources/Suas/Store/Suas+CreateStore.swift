// SPDX-License-Identifier: Apache-2.0

extension Suas {
    /// Creates a store that starts with the reducers' initial states.
    public static func createStore<Root: Reducer>(
        reducer: sending Root, middleware: sending (any MiddlewareComponent)? = nil,
        maximumChain: Int = defaultMaximumChain, maximumActions: Int = .max,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = reportToStandardError
    ) -> Store {
        let combined = CombinedReducer(reducer)
        return createStore(
            reducer: combined, state: combined.initialState, middleware: middleware,
            maximumChain: maximumChain, maximumActions: maximumActions, onProblem: onProblem)
    }

    /// Creates a store that starts with these entries alone; reducers without an entry do nothing, which is
    /// reported.
    public static func createStore<Root: Reducer>(
        reducer: sending Root, state: KeyedState, middleware: sending (any MiddlewareComponent)? = nil,
        maximumChain: Int = defaultMaximumChain, maximumActions: Int = .max,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = reportToStandardError
    ) -> Store {
        Store(
            StoreBody(
                state: state, reducer: CombinedReducer(reducer), middleware: middleware?.members ?? [],
                maximumChain: maximumChain, maximumActions: maximumActions, onProblem: onProblem))
    }

    /// Creates a store that starts with this value alone.
    ///
    /// Its key is the reducer's if the value has the type of the reducer's state, otherwise the name of its
    /// type.
    public static func createStore<Root: Reducer, Value: Sendable>(
        reducer: sending Root, state: Value, middleware: sending (any MiddlewareComponent)? = nil,
        maximumChain: Int = defaultMaximumChain, maximumActions: Int = .max,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = reportToStandardError
    ) -> Store {
        let key = Value.self == Root.StateType.self ? reducer.stateKey : State.key(of: Value.self)
        return createStore(
            reducer: reducer, state: [key: state] as KeyedState, middleware: middleware,
            maximumChain: maximumChain, maximumActions: maximumActions, onProblem: onProblem)
    }
}
