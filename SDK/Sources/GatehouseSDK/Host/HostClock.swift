// SPDX-License-Identifier: Apache-2.0

/// Time from the host; tests inject their own.
public struct HostClock: Sendable {
    /// For waiting and for measuring.
    public let clock: any Clock<Duration>
    /// Seconds since 1970-01-01 00:00 UTC.
    public let unixTime: @Sendable () -> Double

    /// Creates a clock from its two sources.
    public init(clock: any Clock<Duration>, unixTime: @escaping @Sendable () -> Double) {
        self.clock = clock
        self.unixTime = unixTime
    }

    /// Waits; returns early, with an error, when the task is cancelled.
    public func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }
}
