// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Reads the state in `handle` and again after the reducers, and writes the difference.
///
/// A middleware of its own kind instead of an effect, because an effect runs only after the reducers.
struct LoggerMiddleware: MiddlewareProtocol {
    /// The settings of the operator.
    let settings: Logger.Settings
    /// The log that takes the lines.
    let log: PluginLog
    /// The state of the host; nil when the operator does not grant it.
    let hostState: HostStateReader?

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<AnyAction> {
        // Read, copy and allocate nothing for an action without a line.
        guard isWanted(action.type) else { return .pure() }
        let before = hostState?(settings.state)
        return IO { _ in
            let after = hostState?(settings.state)
            let line = LogLine(
                action: action, source: dispatcher,
                changes: Value.differences(from: before, to: after, at: settings.state), settings: settings)
            log(settings.level, line.description)
        }
    }

    /// Returns whether an action of this type gets a line that the host writes.
    private func isWanted(_ type: ActionType) -> Bool {
        settings.level >= log.minimum && settings.include.contains { $0.matches(type) }
            && !settings.exclude.contains { $0.matches(type) }
    }
}
