// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The clocks of a simulated machine: one that people set, and one that only goes on.
final class SimulatedClock: Sendable {
    /// Seconds since 1970, and what the other one shows.
    private let state = Mutex((time: 1_000_000_000.0, instant: ContinuousClock.now))

    /// The time in seconds since 1970.
    var time: Double { state.withLock { $0.time } }

    /// The time that only goes on.
    var instant: ContinuousClock.Instant { state.withLock { $0.instant } }

    /// Lets time pass on both.
    func pass(_ duration: Duration) {
        state.withLock { state in
            state.time += duration / .seconds(1)
            state.instant += duration
        }
    }

    /// Sets the clock that people set.
    func jump(by seconds: Double) { state.withLock { $0.time += seconds } }
}
