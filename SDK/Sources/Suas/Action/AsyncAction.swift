// SPDX-License-Identifier: Apache-2.0

/// An action that is work rather than news: `AsyncMiddleware` executes it and lets nobody behind itself see it.
///
/// Without that middleware it reaches the reducers like any other action, is never executed, and the store reports
/// `StoreProblem.asyncActionNotExecuted`.
///
/// ```swift
/// func execute(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction) {
///     dispatch(SomeAction())
///     transfer { data, error in
///         if let data {
///             dispatch(RequestSucceeded(data: data))
///         } else if let error {
///             dispatch(RequestFailed(reason: error))
///         }
///     }
/// }
/// ```
public protocol AsyncAction: Action {
    /// Does the work, or starts it on a thread of its own choice; called once, in the store's turn.
    ///
    /// Both functions may be kept and called from any thread: `getState` gives the state at that moment, `dispatch` sends
    /// a result through the whole store, from the action listeners on.
    func execute(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction)
}
