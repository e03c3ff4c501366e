// SPDX-License-Identifier: Apache-2.0

/// Misuse of a store or its parts that the store survives; see `Suas.createStore` for the receiver.
public enum StoreProblem: Error, Equatable, Sendable {
    /// Two reducers have the same key; gives the types of the one kept and the one left out.
    case duplicateKey(StateKey, kept: String, dropped: String)
    /// The state has no entry for a reducer; reported once until a reset.
    case missingState(key: StateKey)
    /// The state's entry has another type than its reducer's; reported once until a reset.
    case wrongStateType(key: StateKey, expected: String, found: String)
    /// A reducer dispatched an action of this type; it was queued.
    case dispatchFromReducer(action: String)
    /// An async action of this type reached the reducers and was not executed.
    case asyncActionNotExecuted(action: String)
    /// A chain of more than `limit` actions, each dispatched in answer to the one before; the rest was dropped.
    ///
    /// `recent` are the types of the last ones up to the first dropped one, oldest first.
    case dispatchLoop(limit: Int, recent: [String], dropped: Int)
    /// One action, `after`, led to more than `limit` others, and the rest was dropped; `recent` as for a loop.
    case tooManyActions(limit: Int, after: String, recent: [String], dropped: Int)
    /// Middlewares in front of a Gatehouse store passed on or sent an action of this type, for which the store has no form.
    case actionNotTaken(action: String)
    /// An action of this type arrived after the store was released and was dropped.
    case storeReleased(action: String)
}

extension StoreProblem: CustomStringConvertible {
    /// One sentence: what was expected, what was found, what to do.
    public var description: String {
        switch self {
        case .duplicateKey(let key, let kept, let dropped):
            "state key \"\(key)\": expected one reducer, found \(kept) and \(dropped); only the first runs, "
                + "so give one of them another stateKey"
        case .missingState(let key):
            "state key \"\(key)\": expected a value for its reducer, found none; "
                + "add the key to the state the store is created or reset with"
        case .wrongStateType(let key, let expected, let found):
            "state key \"\(key)\": expected a value of type \(expected), found \(found); "
                + "reset the key with a value of its reducer's type"
        case .dispatchFromReducer(let action):
            "action \(action): expected a reducer to dispatch nothing, found this action queued by one; "
                + "dispatch it from a middleware or a listener"
        case .asyncActionNotExecuted(let action):
            "async action \(action): expected a middleware to execute it, found it at the reducers; "
                + "add AsyncMiddleware to the store"
        case .dispatchLoop(let limit, let recent, let dropped):
            "dispatch: expected at most \(limit) actions, each in answer to the one before, found \(dropped) more, dropped: "
                + "\(recent.joined(separator: ", ")); look for the listener or middleware that answers each with the next"
        case .tooManyActions(let limit, let input, let recent, let dropped):
            "action \(input): expected it to lead to at most \(limit) others, found \(dropped) more, dropped: "
                + "\(recent.joined(separator: ", ")); look for listeners or middlewares that answer one with many"
        case .actionNotTaken(let action):
            "action \(action): expected a form of it for the store behind the middlewares, found none; "
                + "give it one in hostAction, or let a middleware take it"
        case .storeReleased(let action):
            "action \(action): expected a living store, found it released; "
                + "keep the store for as long as actions are dispatched"
        }
    }
}
