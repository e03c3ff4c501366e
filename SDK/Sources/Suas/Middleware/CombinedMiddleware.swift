// SPDX-License-Identifier: Apache-2.0

/// Several middlewares in a row; made by `+`, or of a list.
///
/// A value: joining makes a longer list and leaves both operands as they were. It is no middleware itself, because
/// only a store can run its members: a `next` that is called late has to find its place among them.
public struct CombinedMiddleware: MiddlewareComponent {
    public let members: [any Middleware]

    /// All members of all components, in order; none is allowed, and lets every action pass.
    public init(_ components: [any MiddlewareComponent]) {
        members = components.flatMap(\.members)
    }
}
