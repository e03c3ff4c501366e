// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
private import GatehouseTesting
private import Synchronization

/// The clock of a host that looks into the past: its time is set, and sleepers never wake.
package final class PastClock: Sendable {
    /// The moment, in seconds since 1970.
    private let moment = Mutex(0.0)
    /// A clock that never advances.
    private let clock = ManualClock()

    /// Creates a clock at the beginning of 1970.
    package init() {}

    /// The moment, in seconds since 1970.
    package var now: Double {
        get { moment.withLock { $0 } }
        set { moment.withLock { $0 = newValue } }
    }

    /// The clock granted to instances.
    package var hostClock: HostClock { HostClock(clock: clock) { [self] in now } }
}

extension HostDependencies {
    /// Returns the dependencies of past instances: time comes from a past clock, and effects do not run.
    package static func past(
        at clock: PastClock, dataDirectory: String, progress: RunProgress = RunProgress(),
        report: @escaping @Sendable (HostReport) -> Void = { _ in }
    ) -> HostDependencies {
        HostDependencies(
            effects: { _ in EffectTerms(clock: clock.hostClock, execution: .stubbed) },
            dataDirectory: dataDirectory, progress: progress, report: report)
    }
}
