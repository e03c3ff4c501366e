// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse

/// One middleware in front of a Gatehouse store.
struct HostedMember {
    /// The middleware, of any type.
    let middleware: any Middleware
    /// The store's functions for the middleware.
    let api: MiddlewareAPI

    /// The middleware as an interceptor.
    var interceptor: AnyInterceptor<HostedAction, State> {
        AnyInterceptor { [self] hosted, _, _, _, next in decide(hosted.action, next) }
    }

    /// Lets the middleware decide.
    private func decide(_ action: any Action, _ next: Next<HostedAction>) {
        var kept = KeptNext(next, for: action)
        var middleware = middleware
        middleware.api = api
        middleware.next = { KeptNext.pass($0, insteadOf: action, to: next) }
        Self.call(middleware, action, api, kept)
        // Only a closure that still exists can be called late. Most do not, and cost the run nothing.
        if !isKnownUniquelyReferenced(&kept) { kept.holdRun() }
    }

    /// Calls the middleware; a separate function, so that the closures made for the call are released when it
    /// returns.
    @inline(never)
    private static func call(
        _ middleware: any Middleware, _ action: any Action, _ api: MiddlewareAPI, _ kept: KeptNext
    ) {
        middleware.onAction(
            action: action, getState: api.getState, dispatch: { api.dispatch(action: $0) },
            next: { kept.pass($0) })
    }
}
