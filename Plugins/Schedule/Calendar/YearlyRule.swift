// SPDX-License-Identifier: Apache-2.0

/// The yearly clock changes, from the last line of a time zone's file: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyRule: Sendable, Equatable {
    /// A day of each year, and a time on it.
    enum Day: Sendable, Equatable {
        /// The `week`th of a weekday in a month, 5 for the last; weekday 0 is Sunday.
        case weekday(month: Int, week: Int, weekday: Int)
        /// The nth day of a year without 29 February, from 1.
        case julian(Int)
        /// The nth day of a year with 29 February, from 0.
        case ordinal(Int)
    }

    /// One of the two changes.
    struct Change: Sendable, Equatable {
        /// The day.
        let day: Day
        /// The wall time before the change, in seconds from the beginning of that day; may lie on other days.
        let time: Int

        /// Returns its time in a year, on the wall before the change.
        func wall(in year: Int) -> Int64 {
            let start = CivilTime.days(year: year, month: 1, day: 1)
            let days: Int64
            switch day {
            case .weekday(let month, let week, let weekday):
                let first = CivilTime.days(year: year, month: month, day: 1)
                var day = (weekday - CivilTime.weekday(ofDay: first) + 7) % 7 + (week - 1) * 7
                while day >= CivilTime.length(year: year, month: month) { day -= 7 }
                days = first + Int64(day)
            case .julian(let number):
                let isLeap = CivilTime.length(year: year, month: 2) == 29
                days = start + Int64(number - 1 + (isLeap && number >= 60 ? 1 : 0))
            case .ordinal(let number): days = start + Int64(number)
            }
            return days * CivilTime.day + Int64(time)
        }
    }

    /// The offset in the one part of the year, in seconds to the east.
    let standard: Int
    /// The other part of the year with its offset; nil if the offset stays.
    let saving: Saving?

    /// The part of the year with another offset.
    struct Saving: Sendable, Equatable {
        /// Its offset, in seconds to the east.
        let offset: Int
        /// Its beginning.
        let begin: Change
        /// Its end.
        let end: Change
    }

    /// Returns the offset at a moment, in seconds to the east.
    func offset(at moment: Int64) -> Int {
        guard let saving else { return standard }
        let year = CivilTime.date(ofDay: CivilTime.dayNumber(of: moment + Int64(standard))).year
        let begin = saving.begin.wall(in: year) - Int64(standard)
        let end = saving.end.wall(in: year) - Int64(saving.offset)
        // In the south the part begins in one year and ends in the next.
        let isSaving = begin < end ? begin <= moment && moment < end : moment >= begin || moment < end
        return isSaving ? saving.offset : standard
    }
}
