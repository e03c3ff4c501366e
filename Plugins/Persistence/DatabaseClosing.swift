// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Closes the file when effects are cancelled: with the instance, and when its gate closes.
///
/// At the end of a run nobody waits for the tasks that use the database, so closing is not left to a `deinit`.
struct DatabaseClosing: MiddlewareProtocol {
    /// The database.
    let database: DocumentDatabase

    func handle(
        action: Persistence.Action, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<Persistence.Action> { .pure() }

    func cancelEffects() { database.close() }
}
