// SPDX-License-Identifier: Apache-2.0

/// Notices when a plugin's code does not come back: the same call, with the same action, each time somebody looks.
///
/// Asked about once a second, by one caller. Reads the black box and nothing else, so it waits for nobody.
public struct Watchdog {
    /// What there is to say.
    public enum Notice: Equatable, Sendable {
        /// The call has not come back after some time.
        case stuck(BoxAccount, Duration)
        /// One that was told of has come back.
        case over(Duration)
    }

    /// How long one call may take.
    private let limit: Duration
    /// The call that was there the last time: the work and the number of the action; nil for none.
    private var call: (work: UInt64, sequence: UInt64)?
    /// When it was seen first.
    private var start: ContinuousClock.Instant?
    /// Whether it was told of.
    private var isTold = false

    /// A watchdog that lets calls take so long.
    public init(limit: Duration) { self.limit = limit }

    /// Looks at a box; returns what there is to say.
    public mutating func look(at box: BlackBox, now: ContinuousClock.Instant = .now) -> Notice? {
        let seen = box.call
        let isSame = seen.work == call?.work && seen.sequence == call?.sequence
        guard !isSame || seen.work == 0 else {
            guard !isTold, let start, start.duration(to: now) >= limit, let activity = box.activity else {
                return nil
            }
            isTold = true
            return .stuck(activity, start.duration(to: now))
        }
        defer {
            call = seen.work == 0 ? nil : seen
            start = now
            isTold = false
        }
        guard isTold, let start else { return nil }
        return .over(start.duration(to: now))
    }
}
