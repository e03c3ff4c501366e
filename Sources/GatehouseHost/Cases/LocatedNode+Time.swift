// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Durations and moments, as people write them.
extension LocatedNode {
    /// The longest duration, in seconds: ten years.
    private static var longest: Double { 315_360_000 }

    /// A duration: a number of seconds, or a number with one of the units `ms`, `s`, `m`, `h` and `d`.
    func duration() -> Duration? {
        let units: [(name: String, seconds: Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400),
        ]
        var seconds: Double?
        switch value.content {
        case .number(let number): seconds = number.doubleValue
        case .string(let text):
            if let unit = units.first(where: { text.hasSuffix($0.name) }) {
                seconds = Self.plainNumber(text.dropLast(unit.name.count)).map { $0 * unit.seconds }
            }
        default: break
        }
        guard let seconds, (0...Self.longest).contains(seconds) else {
            return fail(
                expected:
                    "a duration of at most 3650 days, such as \"250ms\", \"5s\", \"10m\", \"2h\" or \"1d\"",
                advice: "write a number with its unit, or a number of seconds")
        }
        return .seconds(seconds)
    }

    /// A moment in seconds since 1970-01-01 00:00 UTC: written as such, or as a date and time in UTC.
    func moment() -> Double? {
        switch value.content {
        case .number(let number):
            if let seconds = number.doubleValue, abs(seconds) <= 253_402_300_799 { return seconds }
        case .string(let text):
            if let seconds = Self.unixTime(text) { return seconds }
        default: break
        }
        return fail(
            expected: "a moment such as \"2026-01-31T12:00:00Z\"",
            advice: "write date and time in UTC, or seconds since 1970")
    }

    /// A number of digits, with a fraction or without.
    private static func plainNumber(_ text: Substring) -> Double? {
        let isPlain = text.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
        }
        return isPlain ? Double(text) : nil
    }

    /// Reads `2026-01-31T12:00:00Z`, with a fraction of a second or without.
    private static func unixTime(_ text: String) -> Double? {
        guard
            let match = text.wholeMatch(
                of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d(?:\.\d{1,9})?)Z/),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
            let hour = Int(match.4), let minute = Int(match.5), let second = Double(match.6),
            (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        // Years begin in March here, so that the leap day is the last one.
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days =
            marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
        return Double(days * 86_400 + hour * 3_600 + minute * 60) + second
    }

    /// How many days a month has.
    private static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
