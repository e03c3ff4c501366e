// SPDX-License-Identifier: Apache-2.0

/// A call of a plugin's code that has a turn of its own in the drain, apart from any action.
package enum ForeignTurn {
    /// Work begins that has waited, an effect with a number in the log.
    case perform(UInt64?)
    /// The plugin is told that work was cancelled.
    case cancelled

    /// Makes the call, and lets those take note of it who want to.
    func take(_ turns: (any ForeignTurns)?, _ body: () -> Void) {
        if let turns { turns.during(self, body) } else { body() }
    }
}

/// Takes note of whose code runs in such a turn; called in the drain.
package protocol ForeignTurns: Sendable {
    /// Makes a call of the plugin's code.
    func during(_ turn: ForeignTurn, _ body: () -> Void)
}
