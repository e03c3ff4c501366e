// SPDX-License-Identifier: Apache-2.0

/// A moment on some clock; fixed when it is made, so that time spent before the wait is not lost.
struct Alarm: Sendable {
    /// Sleeps until the moment; throws when the task is cancelled.
    let wait: @Sendable () async throws -> Void
    /// Returns the moment this long after this one, or the present if that is later.
    let next: @Sendable (Duration) -> Alarm

    /// Returns the moment this long after the present.
    static func after(_ duration: Duration, on clock: any Clock<Duration>) -> Alarm {
        /// Makes an alarm on a clock of known type.
        func make<C: Clock<Duration>>(_ clock: C) -> Alarm { at(clock.now.advanced(by: duration), on: clock) }
        return make(clock)
    }

    /// Returns an alarm for a given moment.
    private static func at<C: Clock<Duration>>(_ deadline: C.Instant, on clock: C) -> Alarm {
        Alarm(
            wait: { try await clock.sleep(until: deadline, tolerance: nil) },
            next: { duration in at(max(deadline.advanced(by: duration), clock.now), on: clock) })
    }
}
