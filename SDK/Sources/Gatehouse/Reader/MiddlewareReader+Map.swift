// SPDX-License-Identifier: Apache-2.0

extension MiddlewareReaderProtocol {
    /// Returns a reader that ignores its dependencies and always returns the given middleware.
    @inlinable
    public static func pure(_ value: MiddlewareType) -> Self { Self { _ in value } }

    /// Transforms each injected middleware.
    @inlinable
    public func mapMiddleware<NewMiddleware: MiddlewareProtocol>(
        _ transform: @escaping (MiddlewareType) -> NewMiddleware
    ) -> MiddlewareReader<Dependencies, NewMiddleware> {
        MiddlewareReader { [inject] in transform(inject($0)) }
    }

    /// Extracts its dependencies from a larger world.
    @inlinable
    public func contramapDependencies<World>(
        _ extract: @escaping (World) -> Dependencies
    ) -> MiddlewareReader<World, MiddlewareType> {
        MiddlewareReader { [inject] in inject(extract($0)) }
    }

    /// Fits dependencies; the same as `contramapDependencies`, named like the other lifts.
    @inlinable
    public func lift<GlobalDependencies>(
        dependencies: @escaping (GlobalDependencies) -> Dependencies
    ) -> MiddlewareReader<GlobalDependencies, MiddlewareType> {
        contramapDependencies(dependencies)
    }

    /// Keeps the spelling of the documents that this function comes from.
    @available(*, deprecated, renamed: "contramapDependencies")
    @inlinable
    public func contramapDependecies<World>(
        _ extractOnlyDependenciesNeededForThisMiddleware: @escaping (World) -> Dependencies
    ) -> MiddlewareReader<World, MiddlewareType> {
        contramapDependencies(extractOnlyDependenciesNeededForThisMiddleware)
    }

    /// Transforms each injected middleware, and extracts the dependencies from a larger world.
    ///
    /// Each call of `inject` extracts, injects, then transforms.
    @inlinable
    public func dimap<NewMiddleware: MiddlewareProtocol, World>(
        transformMiddleware: @escaping (MiddlewareType) -> NewMiddleware,
        extractOnlyDependenciesNeededForThisMiddleware: @escaping (World) -> Dependencies
    ) -> MiddlewareReader<World, NewMiddleware> {
        contramapDependencies(extractOnlyDependenciesNeededForThisMiddleware)
            .mapMiddleware(transformMiddleware)
    }

    /// Returns a reader that depends on this one's middleware.
    ///
    /// Each call of `inject` injects this reader, transforms, then injects the result with the same dependencies.
    @inlinable
    public func flatMap<NewMiddlewareReader: MiddlewareReaderProtocol>(
        _ transform: @escaping (MiddlewareType) -> NewMiddlewareReader
    ) -> NewMiddlewareReader where NewMiddlewareReader.Dependencies == Dependencies {
        NewMiddlewareReader { [inject] in transform(inject($0)).inject($0) }
    }

    /// Returns a reader that hides the type of its middleware.
    @inlinable
    public func eraseMiddleware() -> MiddlewareReader<
        Dependencies, AnyMiddleware<InputActionType, OutputActionType, StateType>
    > {
        mapMiddleware { $0.eraseToAnyMiddleware() }
    }
}
