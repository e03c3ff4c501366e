// SPDX-License-Identifier: Apache-2.0

/// Composes the listed middlewares in order, as joining them by `<>` does.
///
/// `if`, `if`-`else`, `switch` and `for` choose among them when the composition is made. Compositions are flattened and
/// identities left out, so the result is one flat row.
@resultBuilder
public enum MiddlewareBuilder<InputActionType: Sendable, OutputActionType: Sendable, StateType>: BlockBuilder
{
    /// The result type of a block.
    public typealias Row = ComposedMiddleware<InputActionType, OutputActionType, StateType>

    /// Takes one middleware of any type with the same actions and state.
    @inlinable
    public static func buildExpression<
        Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>
    >(_ middleware: Middleware) -> Row {
        Row([middleware.eraseToAnyMiddleware()])
    }

    /// Joins those of all rounds of a loop, in order.
    @inlinable
    public static func buildArray(_ rows: [Row]) -> Row { Row(rows.flatMap(\.members)) }
}

extension ComposedMiddleware {
    /// Creates a composition of the middlewares in the block, in written order: `ComposedMiddleware { first; second }`.
    @inlinable
    public init(
        @MiddlewareBuilder<InputActionType, OutputActionType, StateType> _ build: () -> ComposedMiddleware
    ) {
        self.init(build().members)
    }
}
