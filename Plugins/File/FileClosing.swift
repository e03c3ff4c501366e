// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Closes the file when effects are cancelled: so that another instance can open it, and when the gate closes.
struct FileClosing: MiddlewareProtocol {
    /// The writer of the lines.
    let writer: LineWriter

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<AnyAction> { .pure() }

    func start(state: GetState<NoState>) -> IO<AnyAction> { IO { [writer] _ in writer.start() } }

    func cancelEffects() { writer.close() }
}
