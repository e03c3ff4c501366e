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
    /// Returns a difference of two states as messages show it.
    static func line(of difference: ValueDifference) -> String {
        let place = difference.pointer == .whole ? "the state" : "\(difference.pointer)"
        let expected = difference.old.map { $0.json() } ?? "nothing"
        let found = difference.new.map { $0.json() } ?? "nothing"
        return "\(place): expected \(expected), found \(found)"
    }
}
