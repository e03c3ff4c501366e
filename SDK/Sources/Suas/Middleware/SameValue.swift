// SPDX-License-Identifier: Apache-2.0

/// Decides whether two actions are the very same value.
enum SameValue {
    /// Compares types and bytes: equal bytes of a type are the same value, down to the objects it refers to.
    ///
    /// Not `==`, which may ignore parts. False may be wrong, if a copy differs in insignificant bytes; true never is.
    static func holds(_ one: any Action, _ other: any Action) -> Bool {
        guard type(of: one) == type(of: other) else { return false }
        return compare(one, other)
    }

    /// Compares once the type of one of them is known.
    private static func compare<Value: Action>(_ one: Value, _ other: any Action) -> Bool {
        guard let other = other as? Value else { return false }
        return unsafe withUnsafeBytes(of: one) { one in
            unsafe withUnsafeBytes(of: other) { other in unsafe one.elementsEqual(other) }
        }
    }
}
