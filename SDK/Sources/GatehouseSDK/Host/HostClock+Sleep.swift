// SPDX-License-Identifier: Apache-2.0

extension HostClock {
    /// Waits for a moment, in seconds since 1970-01-01 00:00 UTC; returns at once when it has passed.
    ///
    /// Looks at the time once a minute, because a clock may be set meanwhile.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until moment: Double) async throws {
        while case let left = moment - unixTime(), left > 0 { try await sleep(for: .seconds(min(left, 60))) }
    }
}
