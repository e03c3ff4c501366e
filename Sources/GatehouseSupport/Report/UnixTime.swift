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
        let rest = (milliseconds % 1_000 + 1_000) % 1_000
        var time = (milliseconds - rest) / 1_000
        var date = unsafe tm()
        unsafe gmtime_r(&time, &date)
        let day = unsafe [(date.tm_year + 1_900, 4), (date.tm_mon + 1, 2), (date.tm_mday, 2)].map(digits)
        let clock = unsafe [date.tm_hour, date.tm_min, date.tm_sec].map { digits($0, 2) }
        return "\(day.joined(separator: "-"))T\(clock.joined(separator: ":")).\(digits(Int32(rest), 3))Z"
    }

    /// Parses `2026-01-31T12:00:00Z`, with or without a fraction of a second; nil for anything else.
    package static func seconds(in text: String) -> Double? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d{1,9})?)Z/),
            let year = Int32(match.1), let month = Int32(match.2), let day = Int32(match.3),
            let hour = Int32(match.4), let minute = Int32(match.5), let second = Double(match.6),
            minute < 60, second < 60
        else { return nil }
        var date = unsafe tm()
        unsafe (date.tm_year, date.tm_mon, date.tm_mday) = (year - 1_900, month - 1, day)
        unsafe (date.tm_hour, date.tm_min) = (hour, minute)
        let time = unsafe timegm(&date)
        // A day that its month does not have became one of another month, and an hour that a day does not have one of another day.
        return unsafe date.tm_mon == month - 1 && date.tm_mday == day ? Double(time) + second : nil
    }

    /// A number of at least 0, with leading zeros.
    private static func digits(_ number: Int32, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
