// SPDX-License-Identifier: Apache-2.0

/// What a rule measures. For each key it keeps one number.
enum Measure: Sendable {
    /// A bucket of `burst` tokens that are given back one each `interval` seconds. Kept is the moment at which it is full again.
    case rate(interval: Double, burst: Double)
    /// One of `count` passes, the first of each. Kept is how many have come since one passed, itself included.
    case sample(count: Double)
    /// Each key passes once in so many seconds. Kept is the moment up to which it does not pass again.
    case unique(seconds: Double)
    /// The last of those that come with less than so many seconds between them. Nothing is kept; actions wait in the interceptor.
    case debounce(quiet: Double)

    /// What a rule says about an action of a key.
    enum Answer: Equatable {
        /// It passes, and this is known of the key from then on.
        case pass(Double)
        /// It stops, and this is known of the key from then on; nil where nothing changes. `wait` is how long the next one
        /// would have to wait, in seconds; nil where time does not help.
        case stop(Double?, wait: Double?)
    }

    /// Times that differ by less count as equal, because moments since 1970 are no more exact.
    private static let tolerance = 1e-6

    /// Whether actions wait for it, and must be let go at the end.
    var holds: Bool { if case .debounce = self { true } else { false } }

    /// Decides about an action at a moment; `known` is what is kept of its key, nil for a new one. Not asked for `debounce`.
    ///
    /// A clock that was set back makes nobody wait longer than one after a full use.
    func answer(at now: Double, known: Double?) -> Answer {
        switch self {
        case .rate(let interval, let burst):
            let full = min(max(known ?? now, now), now + burst * interval)
            let after = full + interval
            let wait = after - now - burst * interval
            return wait <= Self.tolerance ? .pass(after) : .stop(nil, wait: wait)
        case .sample(let count):
            // Kept numbers are at least 1 and below `count`, whatever a restored state says.
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

    /// How long at most a key need be known, in seconds; nil for ever.
    var memory: Double? {
        switch self {
        case .rate(let interval, let burst): interval * burst
        case .unique(let seconds): seconds
        case .sample, .debounce: nil
        }
    }
}
