// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Keeps documents in an SQLite file and sends live requests the changes.
///
/// The persistence of the core with a controller for documents, lifted to actions that read well in JSON.
struct Persistence: Plugin {
    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The possible times, in milliseconds.
        enum BusyTimeouts: SettingRange { static let range = 0...60_000 }

        /// The name of the file in the instance's data folder.
        @FileName var file = "documents.sqlite"
        /// The milliseconds that others may hold the file before a change fails.
        @Bounded<BusyTimeouts> var busyTimeout = 5_000
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
            return AnyMiddleware(middleware <> DatabaseClosing(database: database))
        }
    }
}
