// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The same as `LawPlugin`, with an interceptor.
struct InterceptingLawPlugin: InterceptingPlugin {
    typealias Action = LawPlugin.Action
    typealias Settings = LawPlugin.Settings
    typealias State = LawPlugin.State

    static func initialState(_ settings: Settings) -> State { LawPlugin.initialState(settings) }
    static func reducer(_ settings: Settings) -> Reducer<Action, State> { LawPlugin.reducer(settings) }
    static func middleware() -> Reader { LawPlugin.middleware() }
    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        LawPlugin.interceptor(context.settings)
    }
}
