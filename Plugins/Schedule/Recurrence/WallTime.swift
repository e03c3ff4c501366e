// SPDX-License-Identifier: Apache-2.0

/// Dates with times as people write them: `2026-12-24T18:00`, with or without seconds, with `Z` for UTC.
enum WallTime {
    /// Reads a text; nil for an invalid time. The moment is one in the zone, or in UTC for a text with `Z`.
    static func moment(of text: String, in zone: TimeZoneRules) -> Int64? {
        var digits = Array(text.utf8)
        let isUniversal = digits.last == UInt8(ascii: "Z")
        if isUniversal { digits.removeLast() }
        let form = Array("0000-00-00T00:00:00".utf8)
        guard digits.count == form.count || digits.count == form.count - 3 else { return nil }
        for (byte, sign) in zip(digits, form) {
            let fits = sign == UInt8(ascii: "0") ? (48...57).contains(byte) : byte == sign
            guard fits else { return nil }
        }
        let number = { (range: Range<Int>) in digits[range].reduce(0) { $0 * 10 + Int($1 & 15) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute) = (number(11..<13), number(14..<16))
        let second = digits.count == form.count ? number(17..<19) : 0
        guard (1970...2999).contains(year), (1...12).contains(month), day >= 1,
            day <= CivilTime.length(year: year, month: month), hour < 24, minute < 60, second < 60
        else { return nil }
        let wall =
            CivilTime.days(year: year, month: month, day: day) * CivilTime.day
            + Int64(hour * 3_600 + minute * 60 + second)
        return isUniversal ? wall : zone.moment(of: wall)
    }

    /// Returns a moment as such a text in UTC, to the second.
    static func text(of moment: Int64) -> String {
        let day = CivilTime.dayNumber(of: moment)
        let rest = Int(moment - day * CivilTime.day)
        let date = CivilTime.date(ofDay: day)
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day))T"
            + "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
    }
}
