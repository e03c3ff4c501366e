// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin whose manifest consumes `helo`, which is no case of its actions.
struct UnknownCase: Plugin {
    /// What the code knows.
    enum Action: PluginAction {
        /// Misspelled in the manifest.
        case hello(name: String)
        /// As in the manifest.
        case greeted
    }

    static func middleware() -> Reader { .doNothing() }
}
