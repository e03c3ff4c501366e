// SPDX-License-Identifier: Apache-2.0

/// Selects the changes that an observer receives; it does not affect the state itself.
public enum ShouldEmitValue<StateType> {
    /// Emits after every action whose reducers report a change.
    case always
    /// Emits nothing.
    case never
    /// Emits when the predicate returns true for the states before and after a change.
    case when((_ previous: StateType, _ new: StateType) -> Bool)

    /// Returns whether an observer receives this change.
    public func shouldEmit(previous: StateType, new: StateType) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .when(let predicate): predicate(previous, new)
        }
    }

    /// Returns the opposite of `shouldEmit`.
    public func shouldRemove(previous: StateType, new: StateType) -> Bool {
        !shouldEmit(previous: previous, new: new)
    }

    /// Returns the policy for a larger state that treats its part as this one does.
    public func contramap<Whole>(_ part: @escaping (Whole) -> StateType) -> ShouldEmitValue<Whole> {
        switch self {
        case .always: .always
        case .never: .never
        case .when(let predicate): .when { predicate(part($0), part($1)) }
        }
    }
}

extension ShouldEmitValue where StateType: Equatable {
    /// Emits when the state is no longer equal to the previous one.
    public static var whenDifferent: ShouldEmitValue { .when { $0 != $1 } }
}
