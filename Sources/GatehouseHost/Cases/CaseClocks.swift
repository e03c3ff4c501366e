// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import GatehouseTesting

/// A clock for each instance of a case, all of which show the same time; so that it is known whose effects sleep.
///
/// Moved from one thread; the clocks may be used from any.
final class CaseClocks: Sendable {
    /// One clock for each instance, in chain order.
    private let clocks: [(id: String, clock: ManualClock)]
    /// The time when they began, in seconds since 1970-01-01 00:00 UTC.
    private let start: Double

    /// Clocks for these instances.
    ///
    /// - Parameter start: the time now, in seconds since 1970-01-01 00:00 UTC.
    init(_ ids: [String], start: Double) {
        clocks = ids.map { ($0, ManualClock()) }
        self.start = start
    }

    /// What an instance is granted.
    func hostClock(of id: String) -> HostClock {
        let clock = clock(of: id)
        return HostClock(clock: clock) { [start] in start + clock.now.offset / .seconds(1) }
    }

    /// The time since the beginning.
    var now: Duration { clocks.first?.clock.now.offset ?? .zero }

    /// When the next effect wakes, of whichever instance; nil when none sleeps.
    var nextDeadline: Duration? { clocks.compactMap { $0.clock.nextDeadline?.offset }.min() }

    /// How many effects of an instance sleep.
    func sleepers(of id: String) -> Int { clock(of: id).sleepers }

    /// Moves all clocks to the same time, which is not in the past, and wakes who is due, in chain order.
    func advance(to time: Duration) {
        for (_, clock) in clocks { clock.advance(by: time - clock.now.offset) }
    }

    /// The clock of an instance; of one that is not known, one that stands still for ever.
    private func clock(of id: String) -> ManualClock {
        clocks.first { $0.id == id }?.clock ?? ManualClock()
    }
}
