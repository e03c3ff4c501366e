// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// Writes a line for each action; compares the state before the reducers with the state after.
struct Journal: MiddlewareProtocol {
    let log: @Sendable (String) -> Void

    func handle(
        action: App.Action, from dispatcher: ActionSource, state: GetState<App.State>
    ) -> IO<App.Action> {
        let before = state()
        return IO { _ in
            log("\(action)\(state() == before ? ", nothing changed" : "")")
        }
    }
}
