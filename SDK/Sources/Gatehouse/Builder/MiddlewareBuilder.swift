// SPDX-License-Identifier: Apache-2.0

/// Composes the middlewares written one below the other, in that order, as joining them by `<>` does.
///
/// `if`, `if`-`else`, `switch` and `for` choose among them when the composition is made. Compositions are taken apart and
/// identities left out, so that the result is one flat row.
@resultBuilder
public enum MiddlewareBuilder<InputActionType: Sendable, OutputActionType: Sendable, StateType>: BlockBuilder
{
    /// What the parts are put into.
    public typealias Row = ComposedMiddleware<InputActionType, OutputActionType, StateType>

    /// One middleware of any type that hears, emits and reads the same.
    @inlinable
    public static func buildExpression<
        Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>
    >(_ middleware: Middleware) -> Row {
        Row([middleware.eraseToAnyMiddleware()])
    }

    /// Those of each round of a loop, in order.
    @inlinable
    public static func buildArray(_ rows: [Row]) -> Row { Row(rows.flatMap(\.members)) }
}

extension ComposedMiddleware {
    /// A composition of the middlewares in the block, in written order: `ComposedMiddleware { first; second }`.
    @inlinable
    public init(
        @MiddlewareBuilder<InputActionType, OutputActionType, StateType> _ build: () -> ComposedMiddleware
    ) {
        self.init(build().members)
    }
}
