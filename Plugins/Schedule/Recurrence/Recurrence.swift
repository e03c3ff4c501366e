// SPDX-License-Identifier: Apache-2.0

/// The moments of a job, in whole seconds since 1970.
enum Recurrence: Sendable {
    /// At each multiple of this many seconds since 1970-01-01 00:00 UTC, so that no restart moves it.
    case every(Int64)
    /// Whenever the expression matches in a zone.
    case cron(CronExpression, TimeZoneRules)
    /// At one moment.
    case once(Int64)

    /// The moments in a past period.
    struct Passed: Equatable {
        /// The number of moments, at least one; those beyond `most` are not counted.
        var count: Int
        /// The first of them.
        let first: Int64
        /// The last of them.
        var latest: Int64
        /// The last but one; nil if there is only one.
        var previous: Int64?
    }

    /// The most moments of a cron expression that are counted: the count is for people.
    static let most = 1_000

    /// Returns the first moment after another one; nil when none follows.
    func next(after moment: Int64) -> Int64? {
        switch self {
        case .every(let seconds): (moment / seconds + 1) * seconds
        case .cron(let expression, let zone): expression.next(after: moment, in: zone)
        case .once(let only): only > moment ? only : nil
        }
    }

    /// Returns the moments after one and up to another; nil for none.
    func passed(after start: Int64, to end: Int64) -> Passed? {
        guard let first = next(after: start), first <= end else { return nil }
        switch self {
        case .once: return Passed(count: 1, first: first, latest: first)
        case .every(let seconds):
            let latest = end / seconds * seconds
            return Passed(
                count: Int((latest - first) / seconds) + 1, first: first, latest: latest,
                previous: latest > first ? latest - seconds : nil)
        case .cron:
            var passed = Passed(count: 1, first: first, latest: first)
            while let next = next(after: passed.latest), next <= end {
                if passed.count == Self.most {
                    passed.latest = latest(to: end) ?? next
                    passed.previous = latest(to: passed.latest - 1)
                    return passed
                }
                passed.count += 1
                passed.previous = passed.latest
                passed.latest = next
            }
            return passed
        }
    }

    /// Returns the last moment up to another one, searching ever longer periods before it; nil when 64 years have none.
    private func latest(to end: Int64) -> Int64? {
        var span: Int64 = 60
        while span < 64 * 366 * CivilTime.day {
            if var found = next(after: end - span), found <= end {
                while let next = next(after: found), next <= end { found = next }
                return found
            }
            span *= 2
        }
        return nil
    }
}
