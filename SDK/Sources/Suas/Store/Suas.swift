// SPDX-License-Identifier: Apache-2.0

private import Gatehouse

/// Makes stores.
///
/// A store takes over its reducer and middleware: the compiler lets nobody else use them unless they are `Sendable`.
/// `onProblem` is told about misuse, in the store's turn, or while the store is created; unless given, a line goes to
/// standard error. `maximumChain` is how many actions, each dispatched in answer to the one before on the store's own
/// thread, may follow from one; the next is dropped and reported.
public enum Suas {
    /// How many dispatches may answer one another, unless given.
    public static let defaultMaximumChain: Int = 1000

    /// Writes a problem as one line to standard error.
    public static func reportToStandardError(_ problem: StoreProblem) {
        StandardError.report(problem, by: "Suas")
    }

    /// A store that starts with the reducers' initial states.
    public static func createStore<Root: Reducer>(
        reducer: sending Root, middleware: sending (any MiddlewareComponent)? = nil,
        maximumChain: Int = defaultMaximumChain,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = reportToStandardError
    ) -> Store {
        let combined = CombinedReducer(reducer)
        let state = combined.initialState
        return Store(
            StoreBody(
                state: state, reducer: combined, middleware: middleware?.members ?? [],
                maximumChain: maximumChain, onProblem: onProblem))
    }

    /// A store that starts with these entries alone; reducers without an entry do nothing, which is reported.
    public static func createStore<Root: Reducer>(
        reducer: sending Root, state: KeyedState, middleware: sending (any MiddlewareComponent)? = nil,
        maximumChain: Int = defaultMaximumChain,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = reportToStandardError
    ) -> Store {
        Store(
            StoreBody(
                state: state, reducer: CombinedReducer(reducer), middleware: middleware?.members ?? [],
                maximumChain: maximumChain, onProblem: onProblem))
    }

    /// A store that starts with this value alone.
    ///
    /// Its key is the reducer's if the value has the type of the reducer's state, and else the name of its type.
    public static func createStore<Root: Reducer, Value: Sendable>(
        reducer: sending Root, state: Value, middleware: sending (any MiddlewareComponent)? = nil,
        maximumChain: Int = defaultMaximumChain,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = reportToStandardError
    ) -> Store {
        let key = Value.self == Root.StateType.self ? reducer.stateKey : State.key(of: Value.self)
        return Store(
            StoreBody(
                state: [key: state], reducer: CombinedReducer(reducer), middleware: middleware?.members ?? [],
                maximumChain: maximumChain, onProblem: onProblem))
    }
}
