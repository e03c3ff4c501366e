// SPDX-License-Identifier: Apache-2.0

/// Several middlewares in a row; made by `+`, or from a list.
///
/// A value: joining makes a longer list and leaves both operands unchanged. It is not a middleware itself, because
/// only a store can run its members: a late call of `next` has to find its place among them.
public struct CombinedMiddleware: MiddlewareComponent {
    public let members: [any Middleware]

    /// Joins the members of all components, in order; an empty list is allowed, and lets every action pass.
    public init(_ components: [any MiddlewareComponent]) { members = components.flatMap(\.members) }
}
