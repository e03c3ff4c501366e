// SPDX-License-Identifier: Apache-2.0

/// An action that does work rather than report an event: `AsyncMiddleware` executes it and hides it from all that follow.
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
    /// Both functions may be kept and called from any thread: `getState` returns the state at that moment, `dispatch`
    /// sends a result through the whole store, starting with the action listeners.
    func execute(getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction)
}
