// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin whose manifest describes other settings than it has.
struct Misdescribed: Plugin {
    /// The actions that the plugin hears.
    enum Action: PluginAction {
        /// Nothing follows from it.
        case hello
    }

    /// What an operator cannot set.
    struct Settings: PluginSettings {
        /// Misspelled in the manifest.
        var seconds = 1
        /// Forgotten in the manifest, and absent by default.
        var label: String?
    }

    static func middleware() -> Reader { .doNothing() }
}
