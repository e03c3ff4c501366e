// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Closes the file when effects are cancelled: with the instance, and when its gate closes.
///
/// At the end of a run nobody waits for the tasks that use the database, so closing is not left to a `deinit`.
final class ClosingMiddleware: MiddlewareProtocol {
    /// The actions of the plugin.
    typealias Action = Persistence.Action

    /// The middleware that answers the actions.
    private let middleware: AnyMiddleware<Action, Action, NoState>
    /// The database.
    private let database: DocumentDatabase

    /// Wraps a middleware that uses the database.
    init(_ middleware: AnyMiddleware<Action, Action, NoState>, closing database: DocumentDatabase) {
        self.middleware = middleware
        self.database = database
    }

    func handle(action: Action, from dispatcher: ActionSource, state: GetState<NoState>) -> IO<Action> {
        middleware.handle(action: action, from: dispatcher, state: state)
    }

    func start(state: GetState<NoState>) -> IO<Action> { middleware.start(state: state) }

    func stopping(state: GetState<NoState>) -> IO<Action> { middleware.stopping(state: state) }

    func stopEffects() { middleware.stopEffects() }

    func gateChanged(to gate: GateState) { middleware.gateChanged(to: gate) }

    func cancelEffects() {
        middleware.cancelEffects()
        database.close()
    }
}
