// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Wall times described by five fields, as in cron since 1987.
struct CronExpression: Sendable {
    /// The minutes, hours, days of the month, months and days of the week.
    private let minute, hour, dayOfMonth, month, dayOfWeek: CronField

    /// Names for five fields.
    private static let names = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// Reads five fields with blanks between them, or a name such as `@daily`.
    ///
    /// - Parameter path: the place of the text, for the error about one that is no expression.
    init(_ text: String, at path: [any CodingKey] = []) throws(CodingFailure) {
        let fields = (Self.names[text] ?? text).split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard fields.count == 5, text.utf8.count <= 256 else {
            throw CodingFailure(
                at: path,
                expected: "five fields, or one of \(Self.names.keys.sorted().joined(separator: ", "))",
                found: Value.string(text).json())
        }
        var read: [CronField] = []
        for (field, kind) in zip(fields, CronField.Kind.all) {
            guard let found = CronField(field, kind) else {
                let range = kind.range
                throw CodingFailure(
                    at: path,
                    expected:
                        "\(kind.name) from \(range.lowerBound) to \(range.upperBound), in a list or range such as 1,5-9,*/2",
                    found: Value.string(String(field)).json())
            }
            read.append(found)
        }
        (minute, hour, dayOfMonth, month, dayOfWeek) = (read[0], read[1], read[2], read[3], read[4])
        guard isPossible else {
            throw CodingFailure(
                at: path, expected: "a day that some month of the expression has",
                found: Value.string(text).json())
        }
    }

    /// Whether any year has a day that matches.
    private var isPossible: Bool {
        // Every month has each day of the week.
        if isEitherDay { return true }
        return (1...12).contains { number in
            month.contains(number)
                && (1...CivilTime.length(year: 2_000, month: number)).contains { dayOfMonth.contains($0) }
        }
    }

    /// Whether one of the two fields about days is enough: Vixie's rule, where neither begins with `*`.
    private var isEitherDay: Bool { !dayOfMonth.isOpen && !dayOfWeek.isOpen }

    /// Returns the first moment after another one at which the expression matches in a zone, in seconds since 1970.
    ///
    /// A time that clocks skip counts as the moment at which they do; one that they show twice, the first time. Nil if the
    /// next 40 years have none.
    func next(after moment: Int64, in zone: TimeZoneRules) -> Int64? {
        // A later wall time never has an earlier moment, so the first one that is late enough is the next.
        let wall = zone.wall(at: moment)
        let first = CivilTime.dayNumber(of: wall)
        for day in first..<first + 40 * 366 where describes(day: day) {
            let start = day * CivilTime.day
            // The wall may show this hour a second time; the times before it are over.
            let from = day == first ? Int((wall - start) / 3_600) : 0
            for hour in from..<24 where self.hour.contains(hour) {
                for minute in 0..<60 where self.minute.contains(minute) {
                    let found = zone.moment(of: start + Int64(hour * 3_600 + minute * 60))
                    if found > moment { return found }
                }
            }
        }
        return nil
    }

    /// Returns whether a day, counted from 1970-01-01, matches.
    private func describes(day: Int64) -> Bool {
        let date = CivilTime.date(ofDay: day)
        guard month.contains(date.month) else { return false }
        let isDay = dayOfMonth.contains(date.day)
        let isWeekday = dayOfWeek.contains(CivilTime.weekday(ofDay: day))
        return isEitherDay ? isDay || isWeekday : isDay && isWeekday
    }
}
