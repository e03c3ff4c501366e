// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Turns actions into other actions, by the operator's rules.
struct Rules: Plugin {
    /// Everything: only the operator knows which actions there are.
    typealias Action = AnyAction

    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The rules in the order of evaluation; each that matches emits.
        var rules: [Rule] = []
    }

    static func middleware() -> Reader {
        Reader { AnyMiddleware(RulesMiddleware($0)) }
    }
}
