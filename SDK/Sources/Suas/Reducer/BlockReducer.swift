// SPDX-License-Identifier: Apache-2.0

/// A reducer made from a closure.
public struct BlockReducer<StateType: Sendable>: Reducer {
    public let initialState: StateType
    public let stateKey: StateKey
    /// Called in the store's turn; returns nil for unchanged.
    private let reduceFunction: (_ state: StateType, _ action: any Action) -> StateType?

    /// Creates a reducer of the entry named after the state's type; the closure returns nil for unchanged.
    public init(
        initialState: StateType, reduce: @escaping (_ state: StateType, _ action: any Action) -> StateType?
    ) {
        self.init(initialState: initialState, stateKey: State.key(of: StateType.self), reduce: reduce)
    }

    /// Creates a reducer of the entry with this key; the closure returns nil for unchanged.
    public init(
        initialState: StateType, stateKey: StateKey,
        reduce: @escaping (_ state: StateType, _ action: any Action) -> StateType?
    ) {
        self.initialState = initialState
        self.stateKey = stateKey
        reduceFunction = reduce
    }

    public func reduce(state: StateType, action: any Action) -> StateType? { reduceFunction(state, action) }
}
