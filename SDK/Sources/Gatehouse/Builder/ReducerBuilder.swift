// SPDX-License-Identifier: Apache-2.0

/// Joins the listed reducers in order, as `<>` does.
///
/// `if`, `if`-`else`, `switch` and `for` choose among them when the join is made.
@resultBuilder
public enum ReducerBuilder<ActionType, StateType>: BlockBuilder {
    /// The result type of a block.
    public typealias Join = Reducer<ActionType, StateType>

    /// Takes one reducer unchanged.
    @inlinable
    public static func buildExpression(_ reducer: Join) -> Join { reducer }

    /// Joins those of all rounds of a loop, in order.
    @inlinable
    public static func buildArray(_ reducers: [Join]) -> Join {
        guard let first = reducers.first else { return .identity }
        return reducers.dropFirst().reduce(first) { $0 <> $1 }
    }
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
