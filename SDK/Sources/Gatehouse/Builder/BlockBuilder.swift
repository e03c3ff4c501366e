// SPDX-License-Identifier: Apache-2.0

/// The common base of this module's result builders: parts of one type that join to a whole of the same type.
///
/// `if`, `if`-`else`, `switch` and `for` choose among the parts when the whole is made.
public protocol BlockBuilder {
    /// The type of the parts and of the result.
    associatedtype Whole

    /// Joins the parts of all rounds of a loop, in order; no parts join to the neutral whole.
    static func buildArray(_ parts: [Whole]) -> Whole
}

extension BlockBuilder {
    /// Joins the parts in the order in which they are written.
    @inlinable
    public static func buildBlock(_ parts: Whole...) -> Whole { buildArray(parts) }

    /// Takes the parts of an `if` without `else`; none if the condition is false.
    @inlinable
    public static func buildOptional(_ part: Whole?) -> Whole { part ?? buildArray([]) }

    /// Takes the parts of the first branch.
    @inlinable
    public static func buildEither(first part: Whole) -> Whole { part }

    /// Takes the parts of the other branch.
    @inlinable
    public static func buildEither(second part: Whole) -> Whole { part }

    /// Takes the parts of an `if #available`.
    @inlinable
    public static func buildLimitedAvailability(_ part: Whole) -> Whole { part }
}
