// SPDX-License-Identifier: Apache-2.0

/// Counts the time in which a host could have done something: it stands still while the machine sleeps, while whoever looks is kept
/// waiting, and while the host is stopped or does what a plugin has announced to take long.
///
/// Asked at each look; between two of them it advances by a limited time only.
public struct PatientClock: Sendable {
    /// The time so far.
    private var now: ContinuousClock.Instant
    /// When the last look was.
    private var last: ContinuousClock.Instant
    /// The most by which it advances between two looks.
    private let most: Duration

    /// A clock that begins at a moment.
    ///
    /// - Parameter pause: the time between two looks, as it should be.
    public init(lookingEvery pause: Duration, from start: ContinuousClock.Instant = .now) {
        now = start
        last = start
        most = pause * 2
    }

    /// Takes note of a look; returns the time.
    ///
    /// - Parameter isStopped: whether the time at this moment does not count.
    public mutating func look(
        isStopped: Bool = false, at moment: ContinuousClock.Instant = .now
    ) -> ContinuousClock.Instant {
        if !isStopped { now += min(max(last.duration(to: moment), .zero), most) }
        last = moment
        return now
    }
}
