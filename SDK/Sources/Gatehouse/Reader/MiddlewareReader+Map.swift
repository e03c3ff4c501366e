// SPDX-License-Identifier: Apache-2.0

extension MiddlewareReaderProtocol {
    /// A reader that ignores its dependencies and always gives the same middleware, made at this call.
    @inlinable
    public static func pure(_ value: MiddlewareType) -> Self {
        Self { _ in value }
    }

    /// Transforms each injected middleware.
    @inlinable
    public func mapMiddleware<NewMiddleware: MiddlewareProtocol>(
        _ transform: @escaping (MiddlewareType) -> NewMiddleware
    ) -> MiddlewareReader<Dependencies, NewMiddleware> {
        let inject = inject
        return MiddlewareReader { transform(inject($0)) }
    }

    /// Takes its dependencies out of a larger world.
    @inlinable
    public func contramapDependencies<World>(
        _ extract: @escaping (World) -> Dependencies
    ) -> MiddlewareReader<World, MiddlewareType> {
        let inject = inject
        return MiddlewareReader { inject(extract($0)) }
    }

    /// Injected middlewares with their type hidden.
    @inlinable
    public func eraseMiddleware() -> MiddlewareReader<
        Dependencies,
        AnyMiddleware<
            MiddlewareType.InputActionType, MiddlewareType.OutputActionType, MiddlewareType.StateType
        >
    > {
        mapMiddleware { $0.eraseToAnyMiddleware() }
    }
}
