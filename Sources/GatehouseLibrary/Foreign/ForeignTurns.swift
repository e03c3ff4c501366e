// SPDX-License-Identifier: Apache-2.0

/// A call of a plugin's code in its own turn of the drain, apart from any action.
package enum ForeignTurn {
    /// Waiting work begins, an effect with a number in the log.
    case perform(UInt64?)
    /// The plugin learns that work was cancelled.
    case cancelled

    /// Makes the call, and lets `turns` record it.
    package func take(_ turns: (any ForeignTurns)?, _ body: () -> Void) {
        if let turns { turns.during(self, body) } else { body() }
    }
}

/// Records whose code runs in such a turn; called in the drain.
package protocol ForeignTurns: Sendable {
    /// Makes a call of the plugin's code.
    func during(_ turn: ForeignTurn, _ body: () -> Void)
}
