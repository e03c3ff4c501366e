// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Lets so many requests of each client pass in a window of time, and refuses the rest.
///
/// The interceptor decides; what it counts stands in the state, where it is seen, saved and never behind: an action that it
/// applies has been reduced before the request goes on, so that two requests in a row do not see the same count.
struct RateLimiter: InterceptingPlugin {
    enum Action: PluginAction {
        case request(client: String)
        case counted(client: String, at: Double)
        case refused(client: String, seconds: Double)

        var isError: Bool { if case .refused = self { true } else { false } }
    }

    struct Settings: PluginSettings {
        /// How many requests one client has in a window.
        var most = 10
        /// How long a window is, in seconds.
        var seconds = 60.0
    }

    struct State: Codable, Sendable {
        /// What one client has used of its window.
        struct Window: Codable, Sendable {
            /// When it began, in seconds since 1970.
            var start: Double
            /// The number of requests since the window began.
            var count: Int
        }
        var windows: [String: Window] = [:]
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            guard case .counted(let client, let time) = action else { return .unchanged }
            if let window = state.windows[client], time - window.start < settings.seconds {
                state.windows[client]?.count += 1
            } else {
                // Windows that are over are forgotten, or every client that ever came would be kept.
                state.windows = state.windows.filter { time - $1.start < settings.seconds }
                state.windows[client] = State.Window(start: time, count: 1)
            }
            return .changed
        }
    }

    static func middleware() -> Reader { .doNothing() }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        let settings = context.settings
        return AnyInterceptor { action, _, state, output, next in
            guard case .request(let client) = action, let now = context.clock?.unixTime() else {
                return next()
            }
            if let window = state().windows[client], window.count >= settings.most {
                let left = window.start + settings.seconds - now
                if left > 0 { return output.dispatch(.refused(client: client, seconds: left)) }
            }
            state.apply(.counted(client: client, at: now))
            next()
        }
    }
}
