// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Moments in seconds since 1970-01-01 00:00 UTC, and their text form: `2026-01-31T12:00:00Z`.
package enum UnixTime {
    /// The latest moment that can be written, the last second of the year 9999.
    package static let latest = 253_402_300_799.0

    /// The present moment.
    package static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Writes a moment with three digits of the second, such as `2026-01-31T12:00:00.250Z`; a moment outside the
    /// four-digit years is written as the nearest one inside.
    package static func text(_ seconds: Double) -> String {
        let bounded = min(max(seconds.isFinite ? seconds : 0, -62_135_596_800), latest)
        let milliseconds = Int((bounded * 1_000).rounded(.down))
        let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (day, time) = rest < 0 ? (days - 1, rest + 86_400_000) : (days, rest)
        let (year, month, dayOfMonth) = date(ofDay: day)
        return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(dayOfMonth, 2) + "T"
            + digits(time / 3_600_000, 2) + ":" + digits(time / 60_000 % 60, 2) + ":"
            + digits(time / 1_000 % 60, 2) + "." + digits(time % 1_000, 3) + "Z"
    }

    /// Parses `2026-01-31T12:00:00Z`, with or without a fraction of a second; nil for anything else.
    package static func seconds(in text: String) -> Double? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d{1,9})?)Z/),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
            let hour = Int(match.4), let minute = Int(match.5), let second = Double(match.6),
            (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        // Years begin in March here, so that the leap day comes last.
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days =
            marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
        return Double(days * 86_400 + hour * 3_600 + minute * 60) + second
    }

    /// The date of a day, counted from 1970-01-01; not before the year 1.
    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        // From March of the year 0 on, in cycles of 400 years: 146,097 days each.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    /// The number of days in a month.
    private static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// A number of at least 0, with leading zeros.
    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
