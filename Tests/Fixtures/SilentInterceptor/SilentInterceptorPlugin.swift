// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin that intercepts actions, and whose manifest does not ask for the permission.
struct SilentInterceptor: InterceptingPlugin {
    /// The actions that the plugin hears.
    enum Action: PluginAction {
        /// An action that is stopped without a word.
        case hello
    }

    static func middleware() -> Reader { .doNothing() }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        AnyInterceptor { _, _, _, _, _ in }
    }
}
