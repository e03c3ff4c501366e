// SPDX-License-Identifier: Apache-2.0

/// Counts time in which a host could have worked: it stands still while the machine sleeps, while the observer is delayed, and
/// while the host is stopped or in a step that a plugin has announced to take long.
///
/// Read at each look; between two looks it advances by a limited time only.
package struct PatientClock: Sendable {
    /// The time so far.
    private var now: ContinuousClock.Instant
    /// The time of the last look.
    private var last: ContinuousClock.Instant
    /// The most it advances between two looks.
    private let most: Duration

    /// Creates a clock that starts at a moment.
    ///
    /// - Parameter pause: the intended time between two looks.
    package init(lookingEvery pause: Duration, from start: ContinuousClock.Instant = .now) {
        now = start
        last = start
        most = pause * 2
    }

    /// Records a look; returns the time.
    ///
    /// - Parameter isStopped: whether the time at this moment does not count.
    package mutating func look(
        isStopped: Bool = false, at moment: ContinuousClock.Instant = .now
    ) -> ContinuousClock.Instant {
        if !isStopped { now += min(max(last.duration(to: moment), .zero), most) }
        last = moment
        return now
    }
}
