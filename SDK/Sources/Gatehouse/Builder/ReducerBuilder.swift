// SPDX-License-Identifier: Apache-2.0

/// Joins the reducers written one below the other, in that order, as `<>` does.
///
/// `if`, `if`-`else`, `switch` and `for` choose among them when the join is made.
@resultBuilder
public enum ReducerBuilder<ActionType, StateType> {
    /// What the parts are joined to.
    public typealias Join = Reducer<ActionType, StateType>

    /// One reducer.
    @inlinable
    public static func buildExpression(_ reducer: Join) -> Join { reducer }

    /// Several, in order.
    @inlinable
    public static func buildBlock(_ reducers: Join...) -> Join { buildArray(reducers) }

    /// Those of each round of a loop, in order.
    @inlinable
    public static func buildArray(_ reducers: [Join]) -> Join {
        guard let first = reducers.first else { return .identity }
        return reducers.dropFirst().reduce(first) { $0 <> $1 }
    }

    /// Those of an `if` without `else`; nothing when the condition is false.
    @inlinable
    public static func buildOptional(_ reducer: Join?) -> Join { reducer ?? .identity }

    /// Those of the first branch.
    @inlinable
    public static func buildEither(first reducer: Join) -> Join { reducer }

    /// Those of another branch.
    @inlinable
    public static func buildEither(second reducer: Join) -> Join { reducer }

    /// Those of an `if #available`.
    @inlinable
    public static func buildLimitedAvailability(_ reducer: Join) -> Join { reducer }
}

extension Reducer {
    /// Joins the reducers in the block, in written order.
    @inlinable
    public static func compose(
        @ReducerBuilder<ActionType, StateType> _ build: () -> Reducer
    ) -> Reducer {
        build()
    }
}
