// SPDX-License-Identifier: Apache-2.0

/// Fits a reducer of an element to a collection; an action for a missing element changes nothing.
extension Reducer {
    /// Reduces in place the first element with the action's id; searches from the start.
    @inlinable
    public func liftToCollection<
        GlobalAction, GlobalState, CollectionState: MutableCollection<StateType>
    >(
        action: KeyPath<GlobalAction, ElementIDAction<StateType.ID, ActionType>?>,
        stateCollection: WritableKeyPath<GlobalState, CollectionState>
    ) -> Reducer<GlobalAction, GlobalState> where StateType: Identifiable {
        liftToCollection(action: action, stateCollection: stateCollection, identifier: \StateType.id)
    }

    /// Reduces in place the first element with this property; searches from the start.
    @inlinable
    public func liftToCollection<
        GlobalAction, GlobalState, CollectionState: MutableCollection<StateType>, ID: Hashable
    >(
        action: KeyPath<GlobalAction, ElementIDAction<ID, ActionType>?>,
        stateCollection: WritableKeyPath<GlobalState, CollectionState>,
        identifier: KeyPath<StateType, ID>
    ) -> Reducer<GlobalAction, GlobalState> {
        Reducer<GlobalAction, GlobalState> { globalAction, globalState in
            guard let element = globalAction[keyPath: action],
                let index = globalState[keyPath: stateCollection].firstIndex(
                    where: { $0[keyPath: identifier] == element.id })
            else { return .unchanged }
            return apply(element.action, &globalState[keyPath: stateCollection][index])
        }
    }

    /// Reduces in place the element at the action's index.
    @inlinable
    public func liftToCollection<
        GlobalAction, GlobalState, CollectionState: MutableCollection<StateType>
    >(
        action: KeyPath<GlobalAction, ElementIndexAction<CollectionState.Index, ActionType>?>,
        stateCollection: WritableKeyPath<GlobalState, CollectionState>
    ) -> Reducer<GlobalAction, GlobalState> {
        Reducer<GlobalAction, GlobalState> { globalAction, globalState in
            guard let element = globalAction[keyPath: action],
                globalState[keyPath: stateCollection].hasElement(at: element.index)
            else { return .unchanged }
            return apply(element.action, &globalState[keyPath: stateCollection][element.index])
        }
    }
}

extension Collection {
    /// Returns whether there is an element at an arbitrary index.
    @inlinable
    func hasElement(at index: Index) -> Bool { startIndex <= index && index < endIndex }

    /// Returns the element at an arbitrary index; nil for none.
    @inlinable
    func element(at index: Index) -> Element? { hasElement(at: index) ? self[index] : nil }
}
