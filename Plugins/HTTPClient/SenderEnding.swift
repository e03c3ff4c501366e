// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Stops the sender at the end of the run; ends its thread and connections with the instance, or when the gate closes.
struct SenderEnding: MiddlewareProtocol {
    /// The sender of the requests.
    let sender: RequestSender

    func handle(
        action: HTTPClient.Action, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<HTTPClient.Action> { .pure() }

    func start(state: GetState<NoState>) -> IO<HTTPClient.Action> { IO { [sender] _ in sender.review() } }

    func stopping(state: GetState<NoState>) -> IO<HTTPClient.Action> { IO { [sender] _ in sender.stop() } }

    func cancelEffects() { sender.close() }
}
