// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
internal import GatehouseSDK
internal import GatehouseValue

/// A `TestStore`'s interface to the store under test, which hides its types.
struct TestSubject<Action: Sendable, State: Sendable> {
    /// Passes an action to the store.
    let dispatch: (Action, ActionSource) throws -> Void
    /// Passes an action in wire form to the store; nil for a store whose actions have none.
    let dispatchWire: ((AnyAction, ActionSource) -> Void)?
    /// The state between two actions.
    let state: () -> State
    /// How often reducers have reported a change of the state.
    let changes: () -> Int
    /// Asks the run to end.
    let stop: () -> Void
    /// Counts the running effects.
    let activity: Activity
    /// Returns whether two actions are the same.
    let areSame: (Action, Action) -> Bool
    /// Returns an action as messages show it.
    let show: (Action) -> String
    /// The differences of two states, a line for each place.
    let differences: (State, State) -> [String]
}

extension TestSubject {
    /// Returns the differences of two states in JSON as messages show them.
    static func differences(from old: Value?, to new: Value?) -> [String] {
        Value.differences(from: old, to: new).map { difference in
            let place = difference.pointer == .whole ? "the state" : "\(difference.pointer)"
            let expected = difference.old?.json() ?? "nothing"
            return "\(place): expected \(expected), found \(difference.new?.json() ?? "nothing")"
        }
    }
}
