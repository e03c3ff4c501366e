// SPDX-License-Identifier: Apache-2.0

/// Days and times of the Gregorian calendar as numbers: the display of a wall clock, without a time zone.
///
/// A wall time is the number of seconds from 1970-01-01 00:00, as if the wall were in Greenwich.
enum CivilTime {
    /// The seconds of a day on the wall.
    static let day: Int64 = 86_400

    /// Returns the days from 1970-01-01 to a date; months count from 1; a day after the month's end is in the next month.
    static func days(year: Int, month: Int, day: Int) -> Int64 {
        // Years that begin in March have their leap day at the end.
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date that many days after 1970-01-01.
    static func date(ofDay days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        return (
            Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month,
            Int(dayOfYear - (153 * shiftedMonth + 2) / 5) + 1
        )
    }

    /// Returns the day of the week, 0 for Sunday.
    static func weekday(ofDay days: Int64) -> Int { Int(((days + 4) % 7 + 7) % 7) }

    /// Returns the number of days of a month.
    static func length(year: Int, month: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the day of a wall time, in days from 1970-01-01.
    static func dayNumber(of wall: Int64) -> Int64 { wall >= 0 ? wall / day : (wall - day + 1) / day }
}
