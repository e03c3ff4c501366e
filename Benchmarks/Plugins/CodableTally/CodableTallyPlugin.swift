// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Counts as `Tally` does, with actions that Codable reads.
struct CodableTally: Plugin {
    /// Its own `CodingKeys` keep the build tool from generating a reader.
    enum Action: PluginAction {
        case bump
        case add(by: Int)

        /// The names that it would have anyway.
        enum CodingKeys: String, CodingKey {
            case bump, add
        }
    }

    /// The slice: the sum of all numbers so far.
    struct State: Codable, Sendable {
        /// The sum; wraps around.
        var count = 0
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func middleware() -> Reader { .doNothing() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            switch action {
            case .bump: state.count &+= 1
            case .add(let by): state.count &+= by
            }
            return .changed
        }
    }
}
