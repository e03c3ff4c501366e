// SPDX-License-Identifier: Apache-2.0

private import Dispatch
package import GatehouseControl
package import GatehousePlan
internal import GatehouseSupport
private import Synchronization

/// The shadows of a running host: a confined child for each hears what the journal records, and tells what differs.
///
/// Callable from any thread. Nothing of the host waits for a shadow: one that dies or hangs ends its own child, and hears nothing until
/// the next reload.
package final class Shadows: Sendable {
    /// Where children find the configuration and the journal; nil for a host without a journal.
    private let source: HistorySource?
    /// Returns the number of the last action that reached the reducers.
    private let recorded: @Sendable () -> UInt64
    /// Called with a sentence when a shadow has ended by itself.
    private let tell: @Sendable (String) -> Void
    /// The shadows of the running plan, in its order.
    private let running = Mutex<[RunningShadow]>([])

    /// No shadows yet.
    ///
    /// - Parameter recorded: returns the number of the last action that reached the reducers.
    package init(
        _ source: HistorySource?, recorded: @escaping @Sendable () -> UInt64,
        tell: @escaping @Sendable (String) -> Void
    ) {
        (self.source, self.recorded, self.tell) = (source, recorded, tell)
    }

    /// Lets the shadows of a plan hear, and those of the plan before no longer.
    ///
    /// A comparison of the same code with the same goes on.
    ///
    /// - Parameter plan: what runs.
    package func follow(_ plan: HostPlan) {
        running.withLock { running in
            let before = running
            for shadow in before { shadow.stop() }
            guard let source else { return }
            let sequence = recorded()
            running = plan.shadows.map { planned in
                let shadow = RunningShadow(
                    planned, of: plan, goingOnWith: before.first { $0.id == planned.configuration.id })
                shadow.begin(from: source, behind: sequence, tell)
                return shadow
            }
        }
    }

    /// Ends all of them.
    package func end() { running.withLock { for shadow in $0 { shadow.stop() } } }

    /// Waits until all have heard an action or have ended, at most ten seconds; on a thread that may wait.
    func wait(for sequence: UInt64) {
        let deadline = DispatchTime.now() + .seconds(10)
        for shadow in running.withLock({ $0 }) { shadow.wait(for: sequence, until: deadline) }
    }

    /// How they are doing, in the order of the configuration.
    package var statuses: [ShadowStatus] { running.withLock { $0.map(\.status) } }
}
