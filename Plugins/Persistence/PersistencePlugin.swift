// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Keeps documents in an SQLite file and sends live requests the changes.
///
/// The persistence of the core with a controller for documents, lifted to actions that read well in JSON.
struct Persistence: Plugin {
    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The name of the file in the instance's data folder.
        var file = FileName()
        /// The time that others may hold the file before a change fails.
        var busyTimeout = BusyTimeout()
        /// The accident that a document survives once `saved` has been emitted.
        var durability = Durability.power
    }

    static func middleware() -> Reader {
        Reader { context in
            let database = DocumentDatabase(
                file: context.dataDirectory.map { .init(folder: $0, settings: context.settings) },
                instance: context.instance)
            let middleware = DocumentController(database: database).makeMiddleware().lift(
                inputAction: { (action: Action) in action.request },
                outputAction: { outcome in
                    if let (action, reason) = Action.undone(outcome) { context.failed(action, reason) }
                    return Action(outcome)
                },
                state: { (_: NoState) in .initial })
            return AnyMiddleware(ClosingMiddleware(middleware, closing: database))
        }
    }
}
