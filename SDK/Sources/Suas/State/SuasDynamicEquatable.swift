// SPDX-License-Identifier: Apache-2.0

/// A value that `EqualsFilter` can compare without knowing its type; nothing to write for an `Equatable` type.
public protocol SuasDynamicEquatable {
    /// Whether the other value has the same type and is equal.
    func isEqual(to other: Any) -> Bool
}

extension SuasDynamicEquatable where Self: Equatable {
    public func isEqual(to other: Any) -> Bool {
        guard let other = other as? Self else { return false }
        return self == other
    }
}
