// SPDX-License-Identifier: Apache-2.0

package import GatehouseRuntime

/// Detects when a part of a host gives no sign of life: its event loop, the threads that all tasks share, or the thread that asks them.
///
/// Called at each look, by one caller; a host that has not asked anything yet is starting.
package struct SignWatch: Sendable {
    /// A part that gives signs.
    package enum Part: CaseIterable, Sendable {
        /// The thread that waits for everything.
        case loop
        /// The threads that all tasks share.
        case pool
        /// The thread that asks the others.
        case pulse

        /// Returns the last question that the part has reached.
        fileprivate func last(_ signs: RecordedSigns) -> UInt64 {
            switch self {
            case .loop: signs.loop
            case .pool: signs.pool
            case .pulse: signs.asked
            }
        }
    }

    /// A notice about a part.
    package enum Notice: Equatable, Sendable {
        /// A part has given no sign for some time.
        case still(Part, Duration)
        /// A part reported as still gives signs again.
        case moves(Part, Duration)
    }

    /// The record of one part.
    private struct Known {
        /// The last question that the part has reached.
        var last: UInt64
        /// Since when it owes an answer.
        var since: ContinuousClock.Instant
        /// Whether it was reported.
        var isTold = false
    }

    /// How long a part may owe an answer.
    private let limit: Duration
    /// The records of the parts.
    private var known: [Part: Known] = [:]

    /// Creates a watch with a limit for owing an answer.
    package init(limit: Duration) { self.limit = limit }

    /// Examines signs; returns notices.
    package mutating func look(at signs: RecordedSigns, now: ContinuousClock.Instant) -> [Notice] {
        guard signs.asked > 0 else { return [] }
        return Part.allCases.compactMap { part in
            let last = part.last(signs)
            guard var entry = known[part], entry.last == last else {
                defer { known[part] = Known(last: last, since: now) }
                guard let before = known[part], before.isTold else { return nil }
                return .moves(part, before.since.duration(to: now))
            }
            // A part that has answered owes nothing until the next question; the one that asks always owes one.
            if part != .pulse, last >= signs.asked {
                known[part]?.since = now
                return nil
            }
            let time = entry.since.duration(to: now)
            guard !entry.isTold, time >= (part == .pulse ? limit * 2 : limit) else { return nil }
            entry.isTold = true
            known[part] = entry
            return .still(part, time)
        }
    }
}
