// SPDX-License-Identifier: Apache-2.0

/// Computes one entry of the state from its previous value and an action.
///
/// A reducer sees only its own entry. It must not dispatch: the store queues such an action and reports
/// `StoreProblem.dispatchFromReducer`.
public protocol Reducer {
    /// The type of the entry.
    associatedtype StateType: Sendable

    /// The entry before the first action.
    var initialState: StateType { get }

    /// The name of the entry; by default the name of the state's type, without its module.
    var stateKey: StateKey { get }

    /// Returns the entry after the action, or nil for unchanged; any other result reaches the listeners, even an
    /// equal one.
    func reduce(state: StateType, action: any Action) -> StateType?
}

extension Reducer {
    public var stateKey: StateKey { State.key(of: StateType.self) }
}

/// Joins two reducers, left before right; neither is changed.
///
/// Of two reducers with one key the first stays; the other is named in the result's `problems`.
public func + <Left: Reducer, Right: Reducer>(lhs: Left, rhs: Right) -> CombinedReducer {
    CombinedReducer(lhs).appending(CombinedReducer(rhs))
}
