// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SchedulePlugin

/// Days of the Gregorian calendar as numbers, also far from today.
@Suite struct CivilTimeTests {
    @Test func `days and dates belong to each other in every year of four centuries around the year 0`() {
        var day = CivilTime.days(year: -401, month: 1, day: 1)
        for year in -401...1 {
            for month in 1...12 {
                for number in [1, CivilTime.length(year: year, month: month)] {
                    let found = CivilTime.days(year: year, month: month, day: number)
                    #expect(CivilTime.date(ofDay: found) == (year, month, number))
                }
                #expect(CivilTime.days(year: year, month: month, day: 1) == day)
                day += Int64(CivilTime.length(year: year, month: month))
            }
        }
        #expect(CivilTime.days(year: 0, month: 3, day: 1) == -719_468)
    }

    @Test(arguments: [
        (1_900, 28), (2_000, 29), (2_023, 28), (2_024, 29), (-4, 29), (-100, 28), (0, 29),
    ])
    func `February has 29 days in each fourth year, but in one of four centuries`(year: Int, days: Int) {
        #expect(CivilTime.length(year: year, month: 2) == days)
    }

    @Test func `months have the days that they are said to have`() {
        #expect(
            (1...12).map { CivilTime.length(year: 2_023, month: $0) }
                == [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    }

    @Test func `a day begins at its midnight, before 1970 too`() {
        #expect([-86_401, -86_400, -1, 0, 86_399, 86_400].map(CivilTime.dayNumber) == [-2, -1, -1, 0, 0, 1])
        #expect(
            (-8...8).map { CivilTime.weekday(ofDay: $0) } == [
                3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5,
            ])
    }
}
