// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Sends actions to a service by HTTP, and answers with the outcome.
struct HTTPClient: Plugin {
    static func middleware() -> Reader {
        Reader { context in
            let sender = RequestSender(context)
            // A few more than may wait, so that the queue is the limit.
            let most = context.settings.concurrency + context.settings.queue + 16
            let middleware = EffectMiddleware<Action, Action, NoState, Context>(
                dependencies: context, maximumEffects: most
            ) { action, _, context in
                guard case .send(let payload) = action else { return .doNothing }
                return sender.effect(for: payload, key: context.effectKey, traceparent: TraceHeader.current)
            }
            return AnyMiddleware(middleware <> SenderEnding(sender: sender))
        }
    }
}
