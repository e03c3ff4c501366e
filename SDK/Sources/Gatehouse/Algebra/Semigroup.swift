// SPDX-License-Identifier: Apache-2.0

/// Binds looser than shifts and tighter than multiplication, as in the documents this algebra comes from.
precedencegroup MonoidAppend {
    associativity: left
    higherThan: MultiplicationPrecedence
    lowerThan: BitwiseShiftPrecedence
}

/// Combines two values, left first.
infix operator <> : MonoidAppend

/// A type whose values combine associatively: `(a <> b) <> c` behaves as `a <> (b <> c)`.
public protocol Semigroup {
    /// Combines left, then right; neither operand is changed.
    static func <> (lhs: Self, rhs: Self) -> Self
}

/// A semigroup with a neutral value: `a <> identity` and `identity <> a` behave as `a`.
public protocol Monoid: Semigroup {
    /// The value that changes nothing when combined.
    static var identity: Self { get }
}
