// SPDX-License-Identifier: Apache-2.0

/// A store or something that looks like one: takes actions, gives states.
public protocol StoreType<ActionType, StateType>: ActionHandler, Sendable {
    /// What observers are given.
    associatedtype StateType

    /// Tells `observer` about changes, in the drain, after the reducers, until the subscription goes.
    ///
    /// Observers are told in order of registration. An action dispatched from an observer joins the end of the queue.
    func observe(
        _ policy: ShouldEmitValue<StateType>, _ observer: @escaping @Sendable (StateType) -> Void
    ) -> Subscription
}
