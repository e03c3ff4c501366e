// SPDX-License-Identifier: Apache-2.0

/// Composes the listed readers in order, as joining them by `<>` does.
///
/// A middleware among them needs no dependencies: each injection returns that same one. `if`, `if`-`else`, `switch` and
/// `for` choose among the readers when the composition is made, before anything is injected.
@resultBuilder
public enum ReaderBuilder<
    Dependencies, InputActionType: Sendable, OutputActionType: Sendable, StateType
>: BlockBuilder {
    /// The result type of a block.
    public typealias Row = MiddlewareReader<
        Dependencies, ComposedMiddleware<InputActionType, OutputActionType, StateType>
    >

    /// Takes one reader of any type whose middleware has the same actions and state.
    @inlinable
    public static func buildExpression<Reader: MiddlewareReaderProtocol>(_ reader: Reader) -> Row
    where
        Reader.Dependencies == Dependencies, Reader.MiddlewareType.InputActionType == InputActionType,
        Reader.MiddlewareType.OutputActionType == OutputActionType,
        Reader.MiddlewareType.StateType == StateType
    {
        Row { [inject = reader.inject] in ComposedMiddleware([inject($0).eraseToAnyMiddleware()]) }
    }

    /// Takes one middleware that needs no dependencies.
    @inlinable
    public static func buildExpression<
        Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>
    >(_ middleware: Middleware) -> Row {
        Row.pure(ComposedMiddleware([middleware.eraseToAnyMiddleware()]))
    }

    /// Joins those of all rounds of a loop, in order.
    @inlinable
    public static func buildArray(_ rows: [Row]) -> Row {
        Row { dependencies in ComposedMiddleware(rows.flatMap { $0.inject(dependencies).members }) }
    }
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
