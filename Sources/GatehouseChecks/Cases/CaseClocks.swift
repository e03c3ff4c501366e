// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import GatehouseTesting

/// The clocks of a case, one per instance, all showing the same time; they tell whose effects sleep.
///
/// Advanced from one thread; the clocks may be used from any.
final class CaseClocks: Sendable {
    /// One clock for each instance, in chain order.
    private let clocks: [(id: String, clock: ManualClock)]
    /// The starting time, in seconds since 1970-01-01 00:00 UTC.
    private let start: Double

    /// Creates clocks for instances.
    ///
    /// - Parameter start: the current time, in seconds since 1970-01-01 00:00 UTC.
    init(_ ids: [String], start: Double) {
        clocks = ids.map { ($0, ManualClock()) }
        self.start = start
    }

    /// Returns the clock granted to an instance.
    func hostClock(of id: String) -> HostClock {
        let clock = clock(of: id)
        return HostClock(clock: clock) { [start] in start + clock.now.offset / .seconds(1) }
    }

    /// The time since the start.
    var now: Duration { clocks.first?.clock.now.offset ?? .zero }

    /// The time at which the next effect of any instance wakes; nil when none sleeps.
    var nextDeadline: Duration? { clocks.compactMap { $0.clock.nextDeadline?.offset }.min() }

    /// Returns the number of sleeping effects of an instance.
    func sleepers(of id: String) -> Int { clock(of: id).sleepers }

    /// Advances all clocks to the same time, not in the past, and wakes due effects in chain order.
    func advance(to time: Duration) {
        for (_, clock) in clocks { clock.advance(by: time - clock.now.offset) }
    }

    /// Returns the clock of an instance; for an unknown one, a clock that never advances.
    private func clock(of id: String) -> ManualClock { clocks.first { $0.id == id }?.clock ?? ManualClock() }
}
