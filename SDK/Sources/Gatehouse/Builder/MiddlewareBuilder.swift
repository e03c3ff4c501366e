// SPDX-License-Identifier: Apache-2.0

/// Composes the middlewares written one below the other, in that order, as joining them by `<>` does.
///
/// `if`, `if`-`else`, `switch` and `for` choose among them when the composition is made. Compositions are taken apart and
/// identities left out, so that the result is one flat row.
@resultBuilder
public enum MiddlewareBuilder<InputActionType: Sendable, OutputActionType: Sendable, StateType> {
    /// What the parts are put into.
    public typealias Row = ComposedMiddleware<InputActionType, OutputActionType, StateType>

    /// One middleware of any type that hears, emits and reads the same.
    @inlinable
    public static func buildExpression<
        Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>
    >(_ middleware: Middleware) -> Row {
        Row([middleware.eraseToAnyMiddleware()])
    }

    /// Several, in order.
    @inlinable
    public static func buildBlock(_ rows: Row...) -> Row { buildArray(rows) }

    /// Those of each round of a loop, in order.
    @inlinable
    public static func buildArray(_ rows: [Row]) -> Row { Row(rows.flatMap(\.members)) }

    /// Those of an `if` without `else`; nothing when the condition is false.
    @inlinable
    public static func buildOptional(_ row: Row?) -> Row { row ?? .identity }

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

extension ComposedMiddleware {
    /// A composition of the middlewares in the block, in written order: `ComposedMiddleware { first; second }`.
    @inlinable
    public init(
        @MiddlewareBuilder<InputActionType, OutputActionType, StateType> _ build: () -> ComposedMiddleware
    ) {
        self.init(build().members)
    }
}
