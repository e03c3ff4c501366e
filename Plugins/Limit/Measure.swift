// SPDX-License-Identifier: Apache-2.0

/// The measure of a rule, which keeps one number for each key.
enum Measure: Sendable {
    /// A bucket of `burst` tokens, refilled by one each `interval` seconds. The number is the moment at which it is full again.
    case rate(interval: Double, burst: Double)
    /// One of `count` passes, the first of each. The number counts the actions since one passed, itself included.
    case sample(count: Double)
    /// Each key passes once in this many seconds. The number is the moment up to which it does not pass again.
    case unique(seconds: Double)
    /// The last of several actions less than this many seconds apart. There is no number; actions wait in the interceptor.
    case debounce(quiet: Double)

    /// The answer about an action of a key.
    enum Answer: Equatable {
        /// It passes; the number to keep for the key.
        case pass(Double)
        /// It stops; the number to keep for the key, nil for no change. `wait` is the time until the next one could pass, in
        /// seconds; nil where time does not help.
        case stop(Double?, wait: Double?)
    }

    /// The distance of equal times in seconds, because moments since 1970 are no more exact.
    private static let tolerance = 1e-6

    /// Whether actions wait, and must be released at the end.
    var holds: Bool { if case .debounce = self { true } else { false } }

    /// Decides about an action at a moment; `known` is the number kept for its key, nil for a new one. Not called for
    /// `debounce`.
    ///
    /// After a clock is set back, nobody waits longer than after full use.
    func answer(at now: Double, known: Double?) -> Answer {
        switch self {
        case .rate(let interval, let burst):
            let full = min(max(known ?? now, now), now + burst * interval)
            let after = full + interval
            let wait = after - now - burst * interval
            return wait <= Self.tolerance ? .pass(after) : .stop(nil, wait: wait)
        case .sample(let count):
            // Kept numbers are at least 1 and below `count`, even if a restored state differs.
            let position = min(max(known ?? 0, 0), count)
            return position < 1
                ? .pass(count > 1 ? 1 : 0) : .stop(position + 1 < count ? position + 1 : 0, wait: nil)
        case .unique(let seconds):
            let left = min((known ?? now) - now, seconds)
            return left > Self.tolerance ? .stop(nil, wait: left) : .pass(now + seconds)
        case .debounce:
            return .pass(now)
        }
    }

    /// How long a key must be known at most, in seconds; nil for ever.
    var memory: Double? {
        switch self {
        case .rate(let interval, let burst): interval * burst
        case .unique(let seconds): seconds
        case .sample, .debounce: nil
        }
    }
}
