// SPDX-License-Identifier: Apache-2.0

extension MiddlewareReaderProtocol {
    /// A reader of a middleware that does nothing.
    @inlinable
    public static var identity:
        MiddlewareReader<
            Dependencies, IdentityMiddleware<InputActionType, OutputActionType, StateType>
        >
    {
        MiddlewareReader { _ in IdentityMiddleware() }
    }

    /// Composes the middlewares of two readers, left first; they may be of different types.
    @inlinable
    public static func <> <Other: MiddlewareProtocol>(
        lhs: Self, rhs: MiddlewareReader<Dependencies, Other>
    ) -> MiddlewareReader<Dependencies, ComposedMiddleware<InputActionType, OutputActionType, StateType>>
    where
        Other.InputActionType == InputActionType, Other.OutputActionType == OutputActionType,
        Other.StateType == StateType
    {
        MiddlewareReader { [first = lhs.inject, second = rhs.inject] in first($0) <> second($0) }
    }
}

extension MiddlewareReaderProtocol {
    /// Combines the middlewares of several readers into one.
    ///
    /// All readers need the same dependencies; they may be of different types. Each call of `inject` injects them left to
    /// right, then calls `map` once. The type on which `zip` is called does not matter.
    @inlinable
    public static func zip<SharedDependencies, each Part: MiddlewareProtocol, Whole: MiddlewareProtocol>(
        _ readers: repeat any MiddlewareReaderProtocol<SharedDependencies, each Part>,
        with map: @escaping (repeat each Part) -> Whole
    ) -> MiddlewareReader<SharedDependencies, Whole> {
        MiddlewareReader { dependencies in map(repeat (each readers).inject(dependencies)) }
    }
}

extension MiddlewareReader {
    /// Returns a reader of an erased middleware that does nothing, for places where the type is known.
    @inlinable
    public static func doNothing<Input, Output, State>() -> MiddlewareReader
    where MiddlewareType == AnyMiddleware<Input, Output, State> {
        MiddlewareReader { _ in AnyMiddleware(IdentityMiddleware()) }
    }
}

extension MiddlewareReaderProtocol where MiddlewareType.OutputActionType == Never {
    /// Returns this reader of a listening middleware in a form that fits where others emit actions of this type.
    @inlinable
    public func emitting<GlobalOutput: Sendable>(
        _ type: GlobalOutput.Type = GlobalOutput.self
    ) -> Lifted<Dependencies, InputActionType, GlobalOutput, StateType> {
        mapMiddleware { $0.emitting(type) }
    }
}

extension MiddlewareReaderProtocol where MiddlewareType: Semigroup {
    /// Injects both, left first, and combines the middlewares.
    @inlinable
    public static func <> (lhs: Self, rhs: Self) -> Self {
        Self { [first = lhs.inject, second = rhs.inject] in first($0) <> second($0) }
    }
}

extension MiddlewareReaderProtocol where MiddlewareType: Monoid {
    /// A reader of the neutral middleware of its type.
    @inlinable
    public static var identity: Self { Self { _ in MiddlewareType.identity } }
}

extension MiddlewareReader: Semigroup where MiddlewareType: Semigroup {}

extension MiddlewareReader: Monoid where MiddlewareType: Monoid {}
