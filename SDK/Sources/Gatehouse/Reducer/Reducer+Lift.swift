// SPDX-License-Identifier: Apache-2.0

extension Reducer {
    /// Fits the reducer to larger types through closures.
    ///
    /// An action that the getter maps to nil skips the reducer. The part is written back only when it changed.
    @inlinable
    public func lift<GlobalAction, GlobalState>(
        actionGetter: @escaping (GlobalAction) -> ActionType?,
        stateGetter: @escaping (GlobalState) -> StateType,
        stateSetter: @escaping (inout GlobalState, StateType) -> Void
    ) -> Reducer<GlobalAction, GlobalState> {
        Reducer<GlobalAction, GlobalState> { globalAction, globalState in
            guard let action = actionGetter(globalAction) else { return .unchanged }
            var state = stateGetter(globalState)
            let change = apply(action, &state)
            if change == .changed { stateSetter(&globalState, state) }
            return change
        }
    }

    /// Fits the reducer to larger types through key paths; the part is reduced in place.
    @inlinable
    public func lift<GlobalAction, GlobalState>(
        action: KeyPath<GlobalAction, ActionType?>, state: WritableKeyPath<GlobalState, StateType>
    ) -> Reducer<GlobalAction, GlobalState> {
        Reducer<GlobalAction, GlobalState> { globalAction, globalState in
            guard let local = globalAction[keyPath: action] else { return .unchanged }
            return apply(local, &globalState[keyPath: state])
        }
    }

    /// Fits the reducer to a larger state; the part is reduced in place.
    @inlinable
    public func lift<GlobalState>(
        state: WritableKeyPath<GlobalState, StateType>
    ) -> Reducer<ActionType, GlobalState> {
        Reducer<ActionType, GlobalState> { action, globalState in
            apply(action, &globalState[keyPath: state])
        }
    }

    /// Fits the reducer to a larger action type; actions without this part skip it.
    @inlinable
    public func lift<GlobalAction>(
        action: KeyPath<GlobalAction, ActionType?>
    ) -> Reducer<GlobalAction, StateType> {
        Reducer<GlobalAction, StateType> { globalAction, state in
            guard let local = globalAction[keyPath: action] else { return .unchanged }
            return apply(local, &state)
        }
    }
}
