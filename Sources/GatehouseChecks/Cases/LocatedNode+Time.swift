// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Durations and moments in human notation.
extension LocatedNode {
    /// The longest duration, in seconds: ten years.
    private static var longest: Double { 315_360_000 }

    /// Reads a duration: a number of seconds, or a number with one of the units `ms`, `s`, `m`, `h` and `d`.
    package func duration() -> Duration? {
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

    /// Reads a moment in seconds since 1970-01-01 00:00 UTC: written as such, or as a date and time in UTC.
    package func moment() -> Double? {
        switch value.content {
        case .number(let number):
            if let seconds = number.doubleValue, abs(seconds) <= UnixTime.latest { return seconds }
        case .string(let text):
            if let seconds = UnixTime.seconds(in: text) { return seconds }
        default: break
        }
        return fail(
            expected: "a moment such as \"2026-01-31T12:00:00Z\"",
            advice: "write date and time in UTC, or seconds since 1970")
    }

    /// Reads a number in digits, with or without a fraction.
    private static func plainNumber(_ text: Substring) -> Double? {
        let isPlain = text.utf8.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".")
        }
        return isPlain ? Double(text) : nil
    }
}
