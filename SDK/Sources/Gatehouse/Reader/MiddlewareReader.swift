// SPDX-License-Identifier: Apache-2.0

/// A stored function from dependencies to a middleware.
@frozen
public struct MiddlewareReader<Dependencies, MiddlewareType: MiddlewareProtocol>: MiddlewareReaderProtocol {
    public let inject: (Dependencies) -> MiddlewareType

    @inlinable
    public init(inject: @escaping (Dependencies) -> MiddlewareType) {
        self.inject = inject
    }
}
