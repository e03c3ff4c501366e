// SPDX-License-Identifier: Apache-2.0

package import GatehouseRuntime

/// Detects when a plugin's code does not return, in the host's own store or in that of a partition: the same call, with the same
/// action, at each look.
///
/// Called about once a second, by one caller. Reads only the flight recorder, so it never waits.
package struct Watchdog {
    /// A notice about a call.
    package enum Notice: Equatable, Sendable {
        /// A call has not returned after some time.
        case stuck(RecordedCall, FlightRecord, Duration)
        /// A reported call has returned.
        case over(RecordedCall, Duration)
    }

    /// A call seen at the last look.
    private struct Seen {
        /// The call.
        let call: RecordedCall
        /// When it was first seen.
        let start: ContinuousClock.Instant
        /// Whether it was reported.
        var isTold = false
    }

    /// How long one call may take.
    private let limit: Duration
    /// The calls seen at the last look, by drain.
    private var seen: [Int: Seen] = [:]

    /// Creates a watchdog with a limit for calls.
    package init(limit: Duration) { self.limit = limit }

    /// Examines a flight recorder; returns notices in the order of the drains.
    package mutating func look(at flightRecorder: FlightRecorder, now: ContinuousClock.Instant = .now)
        -> [Notice]
    {
        let calls = flightRecorder.calls
        let same = Set(calls.filter { seen[$0.drain]?.call == $0 }.map(\.drain))
        var notices: [Notice] = []
        for (drain, entry) in seen.sorted(by: { $0.key < $1.key }) where !same.contains(drain) {
            if entry.isTold { notices.append(.over(entry.call, entry.start.duration(to: now))) }
            seen[drain] = nil
        }
        for call in calls {
            let entry = seen[call.drain] ?? Seen(call: call, start: now)
            seen[call.drain] = entry
            let time = entry.start.duration(to: now)
            guard !entry.isTold, time >= limit, same.contains(call.drain),
                let activity = flightRecorder.activity(of: call)
            else { continue }
            seen[call.drain]?.isTold = true
            notices.append(.stuck(call, activity, time))
        }
        return notices
    }
}
