// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Closes the file when effects are cancelled: so that another instance can open it, and when the gate closes.
final class WritingMiddleware: MiddlewareProtocol {
    /// The middleware that writes actions.
    private let middleware: AnyMiddleware<AnyAction, AnyAction, NoState>
    /// The writer of the lines.
    private let writer: LineWriter

    /// Wraps a middleware whose effects use a writer.
    init(_ middleware: AnyMiddleware<AnyAction, AnyAction, NoState>, writer: LineWriter) {
        self.middleware = middleware
        self.writer = writer
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<AnyAction> {
        middleware.handle(action: action, from: dispatcher, state: state)
    }

    func start(state: GetState<NoState>) -> IO<AnyAction> {
        IO { [writer] _ in writer.start() }
    }

    func stopping(state: GetState<NoState>) -> IO<AnyAction> { middleware.stopping(state: state) }

    func stopEffects() { middleware.stopEffects() }

    func gateChanged(to gate: GateState) { middleware.gateChanged(to: gate) }

    func cancelEffects() {
        middleware.cancelEffects()
        writer.close()
    }
}
