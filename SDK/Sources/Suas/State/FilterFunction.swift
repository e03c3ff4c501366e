// SPDX-License-Identifier: Apache-2.0

/// Decides whether to call a listener, given the value before and after the action; called in the store's
/// turn.
public typealias FilterFunction<Value> = @Sendable (_ old: Value, _ new: Value) -> Bool

/// Admits every change.
public let alwaysFilter: FilterFunction<Any> = { _, _ in true }

/// Admits values that differ, as compared by `SuasDynamicEquatable`.
///
/// Values that are not both `SuasDynamicEquatable` count as different.
public let EqualsFilter: FilterFunction<Any> = { old, new in
    guard old is any SuasDynamicEquatable, let new = new as? any SuasDynamicEquatable else { return true }
    return !new.isEqual(to: old)
}
