// SPDX-License-Identifier: Apache-2.0

/// A type-erased reducer, as a combination stores it.
struct KeyedReducer {
    /// The result of reducing one entry.
    enum Outcome {
        /// The entry stays as it is.
        case unchanged
        /// The entry's next value.
        case changed(any Sendable)
        /// The entry stays because the reducer cannot handle it.
        case failed(StoreProblem)
    }

    /// The name of the entry.
    let key: StateKey
    /// The reducer's type, for problems.
    let name: String
    /// The entry before the first action.
    let initialState: any Sendable
    /// Reduces the entry; nil if it is missing.
    let reduce: (_ entry: (any Sendable)?, _ action: any Action) -> Outcome

    /// Wraps a reducer and hides the type of its state.
    init<Typed: Reducer>(_ reducer: Typed) {
        let key = reducer.stateKey
        self.key = key
        name = "\(Typed.self)"
        initialState = reducer.initialState
        reduce = { entry, action in
            guard let entry else { return .failed(.missingState(key: key)) }
            guard let state = entry as? Typed.StateType else {
                let expected = "\(Typed.StateType.self)"
                return .failed(.wrongStateType(key: key, expected: expected, found: "\(type(of: entry))"))
            }
            guard let next = reducer.reduce(state: state, action: action) else { return .unchanged }
            return .changed(next)
        }
    }
}
