// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Nanoseconds of one of the system's clocks.
struct Clock {
    /// Time that the calling thread has been running on a processor: what other programs do stays out of it.
    static let thread = Clock(id: CLOCK_THREAD_CPUTIME_ID)
    /// The clock of the time that passes, whoever computes.
    static let wall = Clock(id: CLOCK_MONOTONIC)

    private let id: clockid_t

    /// The time that the clock shows now, in nanoseconds.
    var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(id, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Nanoseconds that a body takes.
    func time(_ body: () -> Void) -> Double {
        let start = now
        body()
        return Double(now - start)
    }
}
