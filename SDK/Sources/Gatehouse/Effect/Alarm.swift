// SPDX-License-Identifier: Apache-2.0

/// A moment on some clock; fixed when it is made, so that time spent before anybody waits is not lost.
struct Alarm: Sendable {
    /// Sleeps until the moment; throws when the task is cancelled.
    let wait: @Sendable () async throws -> Void
    /// The moment some time after this one, or after the present if that lies further on.
    let next: @Sendable (Duration) -> Alarm

    /// The moment some time from the present.
    static func after(_ duration: Duration, on clock: any Clock<Duration>) -> Alarm {
        /// Makes an alarm on a clock whose type is known here.
        func make<C: Clock<Duration>>(_ clock: C) -> Alarm {
            at(clock.now.advanced(by: duration), on: clock)
        }
        return make(clock)
    }

    /// An alarm for a moment that is known beforehand.
    private static func at<C: Clock<Duration>>(_ deadline: C.Instant, on clock: C) -> Alarm {
        Alarm(
            wait: { try await clock.sleep(until: deadline, tolerance: nil) },
            next: { duration in at(max(deadline.advanced(by: duration), clock.now), on: clock) })
    }
}
