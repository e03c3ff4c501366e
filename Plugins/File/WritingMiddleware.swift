// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Closes the file when effects are cancelled: when the instance goes, so that another one can open it, and when its gate closes.
final class WritingMiddleware: MiddlewareProtocol {
    /// The middleware that writes actions.
    private let middleware: AnyMiddleware<AnyAction, AnyAction, NoState>
    /// What it writes to.
    private let writer: LineWriter

    /// In front of a middleware whose effects use a writer.
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
