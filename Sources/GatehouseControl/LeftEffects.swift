// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// What has become of the effects of partitions that came to a member or went from it, counted since its start; held actions are
/// among them.
package struct LeftEffects: Equatable, Sendable {
    /// Those that had not ended at the owner before: begun again here, or reported to the plugins.
    package var taken = 0
    /// Those that begin again at the next owner.
    package var again = 0
    /// Those that the next owner reports to the plugins.
    package var told = 0
    /// Those that no checkpoint has, so that nobody begins or reports them.
    package var lost = 0

    /// The counts of a member that has done nothing.
    package init() {}

    /// The counts as the control socket writes them.
    ///
    /// - Parameter running: how many are under way.
    func value(running: Int) -> Value {
        [
            "running": Value(running), "taken": Value(taken), "again": Value(again), "told": Value(told),
            "lost": Value(lost),
        ]
    }
}
