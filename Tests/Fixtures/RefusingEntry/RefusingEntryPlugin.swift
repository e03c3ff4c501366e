// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A sound plugin; what is wrong is its entry.
struct RefusingEntry: Plugin {
    /// Never heard, since the plugin never starts.
    enum Action: PluginAction {
        /// An action about which nothing is done.
        case hello
    }

    static func middleware() -> Reader { .doNothing() }
}
