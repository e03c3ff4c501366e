// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Hears every action and does nothing about it.
struct Everything: Plugin {
    typealias Action = AnyAction

    static func middleware() -> Reader {
        Reader { _ in AnyMiddleware(Silent()) }
    }

    /// Has nothing to do before or after the reducers.
    struct Silent: MiddlewareProtocol {
        func handle(action: AnyAction, from dispatcher: ActionSource, state: GetState<State>) -> IO<AnyAction>
        {
            .pure()
        }
    }
}
