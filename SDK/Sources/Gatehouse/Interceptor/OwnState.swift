// SPDX-License-Identifier: Apache-2.0

/// An interceptor's state: `state()` reads it, `state.apply(action)` changes it before the current action continues.
///
/// An applied action runs through the interceptor's own reducer, immediately: that of the plugin, or that of the store the
/// interceptor belongs to. It reaches no other interceptor, no middleware, and never the end of the queue. So an interceptor's
/// counters are part of the state, where they are visible and preserved, and the next read has them. Observers are called as
/// after any other action.
///
/// Used in the drain only, and not inside a reducer. It is made once for each store or lift and passed on as a single
/// reference.
@frozen
public struct OwnState<ActionType: Sendable, StateType> {
    /// The object that reads the state and applies actions to it.
    @usableFromInline let body: OwnStateBody<ActionType, StateType>

    /// Creates a state that a getter reads, and a closure changes by actions.
    @inlinable
    public init(
        _ getter: GetState<StateType>, apply: @escaping (DispatchedAction<ActionType>) -> Void = { _ in }
    ) {
        body = OwnStateBody(getter, apply: apply)
    }

    /// Reads the state, for code that must not change it.
    @inlinable public var getter: GetState<StateType> { body.getter }

    /// Returns the current state.
    @inlinable
    public func callAsFunction() -> StateType { body.getter() }

    /// Applies an action with the own reducer; its source is the place of this call.
    @inlinable
    public func apply(
        _ action: ActionType, file: String = #file, function: String = #function, line: UInt = #line
    ) {
        apply(DispatchedAction(action, file: file, function: function, line: line))
    }

    /// Applies an action with its source, with the own reducer.
    @inlinable
    public func apply(_ dispatched: DispatchedAction<ActionType>) { body.apply(dispatched) }

    /// Returns the state of a part; the maps run once for each read, and for each applied action.
    @inlinable
    public func map<Action: Sendable, Part>(
        action: @escaping (Action) -> ActionType, state: @escaping (StateType) -> Part
    ) -> OwnState<Action, Part> {
        OwnState<Action, Part>(body.getter.map(state)) { [body] in body.apply($0.map(action)) }
    }
}

/// The shared storage of all copies of a state.
@usableFromInline
final class OwnStateBody<ActionType: Sendable, StateType> {
    /// Reads the current state.
    @usableFromInline let getter: GetState<StateType>
    /// Runs the reducer on an action.
    @usableFromInline let apply: (DispatchedAction<ActionType>) -> Void

    /// Creates a body of these functions.
    @inlinable
    init(_ getter: GetState<StateType>, apply: @escaping (DispatchedAction<ActionType>) -> Void) {
        self.getter = getter
        self.apply = apply
    }
}

/// The part's state for a whole one, made once and cached for the most recent whole; used in the drain.
public struct OwnStateCache<Action: Sendable, State, GlobalAction: Sendable, GlobalState> {
    /// Makes the part's state from that of the whole.
    @usableFromInline let make: (OwnState<GlobalAction, GlobalState>) -> OwnState<Action, State>
    /// The most recent whole; retained, so that no other gets its identity.
    @usableFromInline var whole: OwnStateBody<GlobalAction, GlobalState>?
    /// The state made for `whole`.
    @usableFromInline var part: OwnState<Action, State>?

    /// Creates an empty cache.
    @inlinable
    public init(_ make: @escaping (OwnState<GlobalAction, GlobalState>) -> OwnState<Action, State>) {
        self.make = make
    }

    /// Returns the part's state for the whole's.
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
