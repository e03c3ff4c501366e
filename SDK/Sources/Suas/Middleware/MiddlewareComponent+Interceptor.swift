// SPDX-License-Identifier: Apache-2.0

public import Gatehouse

extension MiddlewareComponent {
    /// Returns these middlewares as an interceptor of a Gatehouse store, or of a part of one.
    ///
    /// The members run in their order. Code before `next` sees the state before, code after it the state after; swallowing
    /// and late calls work as in a Suas store. Only a second `next` inside `onAction` waits for its turn. A middleware
    /// that keeps the closure `next` keeps the run of a host open until it calls or releases it; the property `next` of a
    /// connected one does not. An action that is passed on unchanged stays the host's original action.
    ///
    /// A member's dispatched action joins the end of the queue. An action for which `hostAction` returns nil, such as an
    /// async one, goes through the members alone, and is reported if none of them takes it. `getState` is live in the
    /// store's turn; elsewhere it returns the state last seen there. In a reducer it traps.
    ///
    /// - Parameters:
    ///   - action: maps the store's action to the members', nil for one that bypasses them; may run more than once.
    ///   - hostAction: maps a member's action to the store's.
    ///   - state: maps the store's state to the members'.
    ///   - onProblem: receives actions that go nowhere, in the store's turn.
    public func interceptor<HostAction: Sendable, HostState>(
        action: @escaping (HostAction) -> (any Action)?, hostAction: @escaping (any Action) -> HostAction?,
        state: @escaping (HostState) -> State,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = Suas.reportToStandardError
    ) -> AnyInterceptor<HostAction, HostState> {
        HostedMiddlewares(
            members, HostMaps(action: action, hostAction: hostAction, state: state, onProblem: onProblem)
        ).interceptor
    }

    /// Returns an interceptor for a store whose actions are Suas actions; those of other types are reported.
    public func interceptor<HostAction: Action, HostState>(
        of actionType: HostAction.Type = HostAction.self, state: @escaping (HostState) -> State,
        onProblem: @escaping @Sendable (StoreProblem) -> Void = Suas.reportToStandardError
    ) -> AnyInterceptor<HostAction, HostState> {
        interceptor(
            action: { $0 }, hostAction: { $0 as? HostAction }, state: state, onProblem: onProblem)
    }
}
