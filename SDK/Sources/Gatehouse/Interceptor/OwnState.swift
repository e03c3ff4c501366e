// SPDX-License-Identifier: Apache-2.0

/// The state as an interceptor has it: `state()` reads it, `state.apply(action)` changes it before the action in hand goes on.
///
/// An action that is applied is shown to the interceptor's own reducer, at once and on the spot: that of the plugin, or that of
/// the store the interceptor belongs to. It reaches no other interceptor, no middleware, and never the end of the queue; so what an
/// interceptor counts stands in the state, where it is seen and kept, and the next read has it. Observers are told as after
/// any other action.
///
/// Used in the drain only, and not inside a reducer. It is made once for each store or lift and handed on as a single
/// reference.
@frozen
public struct OwnState<ActionType: Sendable, StateType> {
    /// The object that reads the state and applies actions to it.
    @usableFromInline let body: OwnStateBody<ActionType, StateType>

    /// A state that is read by a getter, and changed by what a closure does with an action.
    @inlinable
    public init(
        _ getter: GetState<StateType>, apply: @escaping (DispatchedAction<ActionType>) -> Void = { _ in }
    ) {
        body = OwnStateBody(getter, apply: apply)
    }

    /// Reads the state, for whoever is not to change it.
    @inlinable public var getter: GetState<StateType> { body.getter }

    /// The state as it is now.
    @inlinable
    public func callAsFunction() -> StateType { body.getter() }

    /// Shows an action to the own reducer; its source is the place of this call.
    @inlinable
    public func apply(
        _ action: ActionType, file: String = #file, function: String = #function, line: UInt = #line
    ) {
        apply(DispatchedAction(action, file: file, function: function, line: line))
    }

    /// Shows an action with its source to the own reducer.
    @inlinable
    public func apply(_ dispatched: DispatchedAction<ActionType>) { body.apply(dispatched) }

    /// The state of a part; the maps run once for each read, and for each action that is applied.
    @inlinable
    public func map<Action: Sendable, Part>(
        action: @escaping (Action) -> ActionType, state: @escaping (StateType) -> Part
    ) -> OwnState<Action, Part> {
        OwnState<Action, Part>(body.getter.map(state)) { [body] in body.apply($0.map(action)) }
    }
}

/// What all copies of a state share.
@usableFromInline
final class OwnStateBody<ActionType: Sendable, StateType> {
    /// Reads the state as it is now.
    @usableFromInline let getter: GetState<StateType>
    /// Shows an action to the reducer.
    @usableFromInline let apply: (DispatchedAction<ActionType>) -> Void

    /// A body of these functions.
    @inlinable
    init(_ getter: GetState<StateType>, apply: @escaping (DispatchedAction<ActionType>) -> Void) {
        self.getter = getter
        self.apply = apply
    }
}

/// The state of a part behind that of a whole, made once and remembered for the whole seen last; used in the drain.
public struct OwnStateCache<Action: Sendable, State, GlobalAction: Sendable, GlobalState> {
    /// Makes the own state of the part from that of the whole.
    @usableFromInline let make: (OwnState<GlobalAction, GlobalState>) -> OwnState<Action, State>
    /// The whole seen last; held, so that its identity is not another's.
    @usableFromInline var whole: OwnStateBody<GlobalAction, GlobalState>?
    /// What was made for it.
    @usableFromInline var part: OwnState<Action, State>?

    /// A cache with nothing in it.
    @inlinable
    public init(_ make: @escaping (OwnState<GlobalAction, GlobalState>) -> OwnState<Action, State>) {
        self.make = make
    }

    /// The part's state behind the whole's.
    @inlinable
    public mutating func callAsFunction(
        _ state: OwnState<GlobalAction, GlobalState>
    ) -> OwnState<Action, State> {
        if whole === state.body, let part { return part }
        let made = make(state)
        whole = state.body
        part = made
        return made
    }
}
