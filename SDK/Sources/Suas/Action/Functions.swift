// SPDX-License-Identifier: Apache-2.0

/// Returns the state at the moment of the call; callable from any thread, at any time.
public typealias GetStateFunction = @Sendable () -> State

/// Sends an action through the whole store, starting with the action listeners; callable from any thread, at any
/// time.
///
/// It joins the end of the store's queue and never runs inside current work.
public typealias DispatchFunction = @Sendable (_ action: any Action) -> Void

/// Passes an action to the next middleware, and after the last one to the reducers.
///
/// Called while its middleware is in `onAction`, it returns when the listeners have been called. Called later, or
/// from another thread, the action joins the end of the queue and starts after the middlewares it has already
/// passed.
public typealias NextFunction = @Sendable (_ action: any Action) -> Void

/// The body of a middleware made from a closure.
public typealias MiddlewareFunction = (
    _ action: any Action, _ getState: @escaping GetStateFunction, _ dispatch: @escaping DispatchFunction,
    _ next: @escaping NextFunction
) -> Void
