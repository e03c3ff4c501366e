// SPDX-License-Identifier: Apache-2.0

/// Composes the readers written one below the other, in that order, as joining them by `<>` does.
///
/// A middleware among them needs nothing injected: each injection gives that very one. `if`, `if`-`else`, `switch` and `for`
/// choose among the readers when the composition is made, before anything is injected.
@resultBuilder
public enum ReaderBuilder<
    Dependencies, InputActionType: Sendable, OutputActionType: Sendable, StateType
> {
    /// What the parts are put into.
    public typealias Row = MiddlewareReader<
        Dependencies, ComposedMiddleware<InputActionType, OutputActionType, StateType>
    >

    /// One reader of any type whose middleware hears, emits and reads the same.
    @inlinable
    public static func buildExpression<Reader: MiddlewareReaderProtocol>(_ reader: Reader) -> Row
    where
        Reader.Dependencies == Dependencies, Reader.MiddlewareType.InputActionType == InputActionType,
        Reader.MiddlewareType.OutputActionType == OutputActionType,
        Reader.MiddlewareType.StateType == StateType
    {
        let inject = reader.inject
        return Row { ComposedMiddleware([inject($0).eraseToAnyMiddleware()]) }
    }

    /// One middleware that needs nothing injected.
    @inlinable
    public static func buildExpression<
        Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>
    >(_ middleware: Middleware) -> Row {
        Row.pure(ComposedMiddleware([middleware.eraseToAnyMiddleware()]))
    }

    /// Several, injected in order with the same dependencies.
    @inlinable
    public static func buildBlock(_ rows: Row...) -> Row { buildArray(rows) }

    /// Those of each round of a loop, in order.
    @inlinable
    public static func buildArray(_ rows: [Row]) -> Row {
        Row { dependencies in ComposedMiddleware(rows.flatMap { $0.inject(dependencies).members }) }
    }

    /// Those of an `if` without `else`; nothing when the condition is false.
    @inlinable
    public static func buildOptional(_ row: Row?) -> Row { row ?? buildArray([]) }

    /// Those of the first branch.
    @inlinable
    public static func buildEither(first row: Row) -> Row { row }

    /// Those of another branch.
    @inlinable
    public static func buildEither(second row: Row) -> Row { row }

    /// Those of an `if #available`.
    @inlinable
    public static func buildLimitedAvailability(_ row: Row) -> Row { row }
}

extension MiddlewareReader {
    /// Composes the readers and middlewares in the block, in written order, into a reader of one flat composition.
    @inlinable
    public static func compose<Input, Output, State>(
        @ReaderBuilder<Dependencies, Input, Output, State> _ build: () -> MiddlewareReader
    ) -> MiddlewareReader where MiddlewareType == ComposedMiddleware<Input, Output, State> {
        build()
    }
}
