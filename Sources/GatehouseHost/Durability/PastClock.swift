// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import GatehouseTesting
private import Synchronization

/// The clock of a host that looks back: the time is what somebody says, and nothing that sleeps ever wakes.
final class PastClock: Sendable {
    /// The moment, in seconds since 1970.
    private let moment = Mutex(0.0)
    /// Stands still.
    private let clock = ManualClock()

    /// A clock at the beginning of 1970.
    init() {}

    /// The moment, in seconds since 1970.
    var now: Double {
        get { moment.withLock { $0 } }
        set { moment.withLock { $0 = newValue } }
    }

    /// What instances are granted.
    var hostClock: HostClock { HostClock(clock: clock) { [self] in now } }
}

extension HostDependencies {
    /// What instances of the past are made from: time is what a clock of the past says, and the work of effects is not done.
    static func past(
        at clock: PastClock, dataDirectory: String, progress: RunProgress = RunProgress(),
        report: @escaping @Sendable (HostReport) -> Void = { _ in }
    ) -> HostDependencies {
        HostDependencies(
            effects: { _ in EffectTerms(clock: clock.hostClock, execution: .stubbed) },
            dataDirectory: dataDirectory, progress: progress, report: report)
    }
}
