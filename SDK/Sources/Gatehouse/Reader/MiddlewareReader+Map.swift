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

    /// Fits dependencies: what `contramapDependencies` does, by the name of the other lifts.
    @inlinable
    public func lift<GlobalDependencies>(
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, MiddlewareType> {
        contramapDependencies(dependencies)
    }

    /// Goes by the name that this function has in the documents it comes from.
    @available(*, deprecated, renamed: "contramapDependencies")
    @inlinable
    public func contramapDependecies<World>(
        _ extractOnlyDependenciesNeededForThisMiddleware: @escaping (World) -> Dependencies
    ) -> MiddlewareReader<World, MiddlewareType> {
        contramapDependencies(extractOnlyDependenciesNeededForThisMiddleware)
    }

    /// Transforms each injected middleware, and takes the dependencies out of a larger world.
    ///
    /// Each call of `inject` extracts, injects, then transforms.
    @inlinable
    public func dimap<NewMiddleware: MiddlewareProtocol, World>(
        transformMiddleware: @escaping (MiddlewareType) -> NewMiddleware,
        extractOnlyDependenciesNeededForThisMiddleware: @escaping (World) -> Dependencies
    ) -> MiddlewareReader<World, NewMiddleware> {
        let inject = inject
        return MiddlewareReader {
            transformMiddleware(inject(extractOnlyDependenciesNeededForThisMiddleware($0)))
        }
    }

    /// Goes on with a reader that depends on the injected middleware.
    ///
    /// Each call of `inject` injects this reader, transforms, then injects the result with the same dependencies.
    @inlinable
    public func flatMap<NewMiddlewareReader: MiddlewareReaderProtocol>(
        _ transform: @escaping (MiddlewareType) -> NewMiddlewareReader
    ) -> NewMiddlewareReader where NewMiddlewareReader.Dependencies == Dependencies {
        let inject = inject
        return NewMiddlewareReader { transform(inject($0)).inject($0) }
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
