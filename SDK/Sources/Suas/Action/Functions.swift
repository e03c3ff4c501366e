// SPDX-License-Identifier: Apache-2.0

/// Gives the state at the moment of the call; callable from any thread, at any time.
public typealias GetStateFunction = @Sendable () -> State

/// Sends an action through the whole store, from the action listeners on; callable from any thread, at any time.
///
/// It joins the end of the store's queue and never runs inside what is running.
public typealias DispatchFunction = @Sendable (_ action: any Action) -> Void

/// Hands an action to the next middleware, and behind the last one to the reducers.
///
/// Called while its middleware is in `onAction`, it returns when the listeners have been told. Called later, or from
/// another thread, the action joins the end of the queue and starts behind the middlewares it has already passed.
public typealias NextFunction = @Sendable (_ action: any Action) -> Void

/// The body of a middleware made of a closure.
public typealias MiddlewareFunction = (
    _ action: any Action, _ getState: @escaping GetStateFunction, _ dispatch: @escaping DispatchFunction,
    _ next: @escaping NextFunction
) -> Void
