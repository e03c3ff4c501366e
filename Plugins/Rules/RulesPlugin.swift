// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Turns actions into other actions, as the operator's rules say.
struct Rules: Plugin {
    /// Everything: which actions there are is known to the operator alone.
    typealias Action = AnyAction

    /// What an operator may set.
    struct Settings: PluginSettings {
        /// In the order in which they are looked at; each that matches emits.
        var rules: [Rule] = []
    }

    static func middleware() -> Reader {
        Reader { AnyMiddleware(RulesMiddleware(rules: $0.settings.rules, instance: $0.instance)) }
    }
}
