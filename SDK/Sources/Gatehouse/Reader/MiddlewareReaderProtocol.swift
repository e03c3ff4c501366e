// SPDX-License-Identifier: Apache-2.0

/// A function from dependencies to a middleware; use `MiddlewareReader` unless something special is needed.
///
/// Readers are lifted and composed before any dependency is known; `inject` makes the middleware.
public protocol MiddlewareReaderProtocol<Dependencies, MiddlewareType> {
    /// What the middleware needs to be made.
    associatedtype Dependencies
    /// What is made.
    associatedtype MiddlewareType: MiddlewareProtocol

    /// Makes a middleware; each call makes another one.
    var inject: (Dependencies) -> MiddlewareType { get }

    /// Stores the function for later.
    init(inject: @escaping (Dependencies) -> MiddlewareType)
}
