// SPDX-License-Identifier: Apache-2.0

/// Whether two actions are one and the same value.
enum SameValue {
    /// Compares types and bytes: equal bytes of a type are the same value, down to the objects it refers to.
    ///
    /// Not `==`, which may leave parts out of account. False may be wrong, where a copy differs in bytes that mean nothing;
    /// true never is.
    static func holds(_ one: any Action, _ other: any Action) -> Bool {
        guard type(of: one) == type(of: other) else { return false }
        return compare(one, other)
    }

    /// With the type of one of them known.
    private static func compare<Value: Action>(_ one: Value, _ other: any Action) -> Bool {
        guard let other = other as? Value else { return false }
        return unsafe withUnsafeBytes(of: one) { one in
            unsafe withUnsafeBytes(of: other) { other in unsafe one.elementsEqual(other) }
        }
    }
}
