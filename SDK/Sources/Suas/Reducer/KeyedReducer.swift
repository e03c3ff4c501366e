// SPDX-License-Identifier: Apache-2.0

/// A type-erased reducer, as a combination stores it.
struct KeyedReducer {
    /// The name of the entry.
    let key: StateKey
    /// The reducer's type, for problems.
    let name: String
    /// The entry before the first action.
    let initialState: any Sendable
    /// Returns the entry's next value, nil to keep it; throws if it is missing, or not of the reducer's type.
    let reduce: (_ entry: (any Sendable)?, _ action: any Action) throws(StoreProblem) -> (any Sendable)?

    /// Wraps a reducer and hides the type of its state.
    init<Typed: Reducer>(_ reducer: Typed) {
        let key = reducer.stateKey
        self.key = key
        name = "\(Typed.self)"
        initialState = reducer.initialState
        reduce = { (entry, action) throws(StoreProblem) in
            guard let entry else { throw .missingState(key: key) }
            guard let state = entry as? Typed.StateType else {
                let expected = "\(Typed.StateType.self)"
                throw .wrongStateType(key: key, expected: expected, found: "\(type(of: entry))")
            }
            return reducer.reduce(state: state, action: action)
        }
    }
}
