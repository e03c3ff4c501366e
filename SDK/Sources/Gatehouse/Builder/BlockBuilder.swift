// SPDX-License-Identifier: Apache-2.0

/// What the result builders of this module share: parts of one type that join to a whole of the same type.
///
/// `if`, `if`-`else`, `switch` and `for` choose among the parts when the whole is made.
public protocol BlockBuilder {
    /// What the parts are joined to.
    associatedtype Whole

    /// Joins those of each round of a loop, in order; none join to what changes nothing.
    static func buildArray(_ parts: [Whole]) -> Whole
}

extension BlockBuilder {
    /// Joins the parts in the order in which they are written.
    @inlinable
    public static func buildBlock(_ parts: Whole...) -> Whole { buildArray(parts) }

    /// Those of an `if` without `else`; nothing when the condition is false.
    @inlinable
    public static func buildOptional(_ part: Whole?) -> Whole { part ?? buildArray([]) }

    /// Those of the first branch.
    @inlinable
    public static func buildEither(first part: Whole) -> Whole { part }

    /// Takes the parts of the other branch.
    @inlinable
    public static func buildEither(second part: Whole) -> Whole { part }

    /// Those of an `if #available`.
    @inlinable
    public static func buildLimitedAvailability(_ part: Whole) -> Whole { part }
}
