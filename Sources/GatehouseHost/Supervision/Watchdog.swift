// SPDX-License-Identifier: Apache-2.0

/// Notices when a plugin's code does not come back, in the host's own store or in that of a partition: the same call, with the same
/// action, each time somebody looks.
///
/// Asked about once a second, by one caller. Reads the black box and nothing else, so it waits for nobody.
public struct Watchdog {
    /// What there is to say.
    public enum Notice: Equatable, Sendable {
        /// A call has not come back after some time.
        case stuck(BoxCall, BoxAccount, Duration)
        /// One that was told of has come back.
        case over(BoxCall, Duration)
    }

    /// A call that was there the last time.
    private struct Seen {
        /// The call.
        let call: BoxCall
        /// When it was seen first.
        let start: ContinuousClock.Instant
        /// Whether it was told of.
        var isTold = false
    }

    /// How long one call may take.
    private let limit: Duration
    /// The calls that were there the last time, by their drains.
    private var seen: [Int: Seen] = [:]

    /// A watchdog that lets calls take so long.
    public init(limit: Duration) { self.limit = limit }

    /// Looks at a box; returns what there is to say, in the order of the drains.
    public mutating func look(at box: BlackBox, now: ContinuousClock.Instant = .now) -> [Notice] {
        let calls = box.calls
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
                let activity = box.activity(of: call)
            else { continue }
            seen[call.drain]?.isTold = true
            notices.append(.stuck(call, activity, time))
        }
        return notices
    }
}
