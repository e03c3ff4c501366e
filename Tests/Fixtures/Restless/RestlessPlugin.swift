// SPDX-License-Identifier: Apache-2.0

import CRestless
import GatehouseSDK

/// Does what it should not, before it is started.
struct Restless: Plugin {
    /// The actions that the plugin hears.
    enum Action: PluginAction {
        /// An action about which nothing is done.
        case act
    }

    /// When it does what; see README.md.
    struct Settings: PluginSettings {
        /// While its middleware is made.
        var parts = ""
        /// While its state is written.
        var state = ""
    }

    /// The slice of the plugin.
    struct State: Codable, Sendable {
        /// What it does when it is written.
        var deed: String

        func encode(to encoder: any Encoder) throws {
            if deed == "forget" { return _ = encoder.container(keyedBy: CodingKeys.self) }
            unsafe restless_do(deed)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(deed, forKey: .deed)
        }
    }

    static func initialState(_ settings: Settings) -> State { State(deed: settings.state) }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> { .reduce { _, _ in } }

    static func middleware() -> Reader {
        Reader { context in
            if context.settings.parts == "fatalError" { fatalError("no middleware today") }
            unsafe restless_do(context.settings.parts)
            return AnyMiddleware(IdentityMiddleware())
        }
    }
}
