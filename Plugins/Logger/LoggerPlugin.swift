// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Writes one line for each action it hears; emits nothing and keeps nothing.
struct Logger: Plugin {
    /// Everything, undecoded: a line about an action needs no Swift type for it.
    typealias Action = AnyAction

    static func middleware() -> Reader {
        Reader { context in
            AnyMiddleware(
                LoggerMiddleware(settings: context.settings, log: context.log, hostState: context.state))
        }
    }
}
