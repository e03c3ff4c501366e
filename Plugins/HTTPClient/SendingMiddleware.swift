// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Stops the sender at the end of the run; ends its thread and connections with the instance, or when the gate closes.
final class SendingMiddleware: MiddlewareProtocol {
    /// The actions of the plugin.
    typealias Action = HTTPClient.Action

    /// The middleware that answers the actions.
    private let middleware: AnyMiddleware<Action, Action, NoState>
    /// The sender of the requests.
    private let sender: RequestSender

    /// Wraps a middleware whose effects use a sender.
    init(_ middleware: AnyMiddleware<Action, Action, NoState>, sender: RequestSender) {
        self.middleware = middleware
        self.sender = sender
    }

    func handle(action: Action, from dispatcher: ActionSource, state: GetState<NoState>) -> IO<Action> {
        middleware.handle(action: action, from: dispatcher, state: state)
    }

    func start(state: GetState<NoState>) -> IO<Action> {
        IO { [sender] _ in sender.review() }
    }

    func stopping(state: GetState<NoState>) -> IO<Action> {
        IO { [sender] _ in sender.stop() }
    }

    func stopEffects() { middleware.stopEffects() }

    func gateChanged(to gate: GateState) { middleware.gateChanged(to: gate) }

    func cancelEffects() {
        middleware.cancelEffects()
        sender.close()
    }
}
