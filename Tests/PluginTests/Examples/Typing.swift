// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Searches when somebody has stopped typing, or at each letter when it has no clock.
struct Typing: Plugin {
    /// Typed texts, and the searches they lead to.
    enum Action: PluginAction { case typed(String), search(String) }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            guard case .typed(let text) = action else { return .doNothing }
            guard let clock = context.clock else { return .just(.search(text)) }
            return .just(.search(text)).debounce("search", for: .milliseconds(300), clock: clock.clock)
        }
    }
}
