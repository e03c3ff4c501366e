// SPDX-License-Identifier: Apache-2.0

/// The middleware of a store: one middleware, or several joined by `+`.
///
/// Not for conforming: write a `Middleware` instead.
public protocol MiddlewareComponent {
    /// The middlewares in the order they run.
    var members: [any Middleware] { get }
}

/// Joins middlewares, left before right; neither operand is changed, and each member runs once for each action.
public func + (lhs: any MiddlewareComponent, rhs: any MiddlewareComponent) -> CombinedMiddleware {
    CombinedMiddleware([lhs, rhs])
}
