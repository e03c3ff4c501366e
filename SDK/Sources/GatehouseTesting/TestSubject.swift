// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
internal import GatehouseSDK
internal import GatehouseValue

/// What a `TestStore` asks of the store under test, whose types are hidden here.
struct TestSubject<Action: Sendable, State: Sendable> {
    /// Hands an action to the store.
    let dispatch: (Action, ActionSource) throws -> Void
    /// Hands one in wire form to the store; nil for a store whose actions have none.
    let dispatchWire: ((AnyAction, ActionSource) -> Void)?
    /// The state between two actions.
    let state: () -> State
    /// How often reducers have said that the state changed.
    let changes: () -> Int
    /// Asks the run to end.
    let stop: () -> Void
    /// The activity that counts the effects that are running.
    let activity: Activity
    /// Whether two actions are the same.
    let areSame: (Action, Action) -> Bool
    /// An action as messages show it.
    let show: (Action) -> String
    /// Where two states differ, a line for each place.
    let differences: (State, State) -> [String]
}

extension TestSubject {
    /// A place of two states as messages show it.
    static func line(of difference: ValueDifference) -> String {
        let place = difference.pointer == .whole ? "the state" : "\(difference.pointer)"
        let expected = difference.old.map { $0.json() } ?? "nothing"
        let found = difference.new.map { $0.json() } ?? "nothing"
        return "\(place): expected \(expected), found \(found)"
    }
}
