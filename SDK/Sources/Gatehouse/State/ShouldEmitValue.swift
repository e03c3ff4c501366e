// SPDX-License-Identifier: Apache-2.0

/// Which changes an observer is told about; the state itself is kept whatever the policy.
public enum ShouldEmitValue<StateType> {
    /// Every action whose reducers report a change.
    case always
    /// No value is told, whatever changes.
    case never
    /// Changes for which the predicate, given the state before and after, is true.
    case when((_ previous: StateType, _ new: StateType) -> Bool)

    /// Whether an observer is told.
    public func shouldEmit(previous: StateType, new: StateType) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .when(let predicate): predicate(previous, new)
        }
    }

    /// The opposite of `shouldEmit`.
    public func shouldRemove(previous: StateType, new: StateType) -> Bool {
        !shouldEmit(previous: previous, new: new)
    }

    /// The policy for a larger state that does to its part what this one does.
    public func contramap<Whole>(_ part: @escaping (Whole) -> StateType) -> ShouldEmitValue<Whole> {
        switch self {
        case .always: .always
        case .never: .never
        case .when(let predicate): .when { predicate(part($0), part($1)) }
        }
    }
}

extension ShouldEmitValue where StateType: Equatable {
    /// Changes that make the state unequal to what it was.
    public static var whenDifferent: ShouldEmitValue { .when { $0 != $1 } }
}
