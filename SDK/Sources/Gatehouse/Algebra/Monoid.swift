// SPDX-License-Identifier: Apache-2.0

/// A semigroup with a neutral value: `a <> identity` and `identity <> a` behave as `a`.
public protocol Monoid: Semigroup {
    /// The value that changes nothing when combined.
    static var identity: Self { get }
}
