// SPDX-License-Identifier: Apache-2.0

/// Whether a listener is told, given the value before the action and after it; called in the store's turn.
public typealias FilterFunction<Value> = @Sendable (_ old: Value, _ new: Value) -> Bool

/// Lets the listener hear of everything.
public let alwaysFilter: FilterFunction<Any> = { _, _ in true }

/// Lets the listener hear of values that differ, as `SuasDynamicEquatable` tells.
///
/// Values that are not both `SuasDynamicEquatable` count as different.
public let EqualsFilter: FilterFunction<Any> = { old, new in
    guard old is any SuasDynamicEquatable, let new = new as? any SuasDynamicEquatable else { return true }
    return !new.isEqual(to: old)
}
