// SPDX-License-Identifier: Apache-2.0

/// A value that `EqualsFilter` can compare without knowing its type; an `Equatable` type needs no code.
public protocol SuasDynamicEquatable {
    /// Returns whether the other value has the same type and is equal.
    func isEqual(to other: Any) -> Bool
}

extension SuasDynamicEquatable where Self: Equatable {
    public func isEqual(to other: Any) -> Bool {
        guard let other = other as? Self else { return false }
        return self == other
    }
}
