// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Appends actions to files, a line of JSON each.
struct File: Plugin {
    /// Everything: only the operator knows which actions there are.
    typealias Action = AnyAction

    static func middleware() -> Reader {
        Reader { context in
            let writer = LineWriter(context)
            let middleware = EffectMiddleware<AnyAction, AnyAction, NoState, Context>(dependencies: context) {
                action, _, context in
                guard context.settings.wants(action.type) else { return .doNothing }
                return writer.effect(for: action)
            }
            return AnyMiddleware(middleware <> FileClosing(writer: writer))
        }
    }
}
