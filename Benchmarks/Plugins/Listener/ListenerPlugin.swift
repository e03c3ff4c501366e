// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Hears one action and does nothing about it: what is left is the way there.
struct Listener: Plugin {
    /// The one action.
    enum Action: PluginAction {
        case ping
    }

    static func middleware() -> Reader {
        .onAction { _, _, _ in .doNothing }
    }
}
