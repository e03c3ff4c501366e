// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatehouseSDK
import SeededTesting
import Testing

@testable import SchedulePlugin

@Suite(.timeLimit(.minutes(10))) struct CronTests {
    /// The times of an expression in a zone after a time on the wall there, as the wall shows them, up to a number.
    private func times(
        _ text: String, in zone: String = "UTC", after start: String, _ count: Int = 3
    ) throws -> [String] {
        let rules = try #require(TimeZoneFile.rules(of: zone))
        let expression = try CronExpression(text)
        var moment = try #require(WallTime.moment(of: start, in: rules))
        return try (0..<count).map { _ in
            moment = try #require(expression.next(after: moment, in: rules))
            return String(WallTime.text(of: rules.wall(at: moment)).dropLast(4))
        }
    }

    @Test(arguments: [
        (
            "30 7 * * mon-fri", "2026-11-20T07:30",
            ["2026-11-23T07:30", "2026-11-24T07:30", "2026-11-25T07:30"]
        ),
        (
            "*/20 9-10 * * *", "2026-01-01T10:30",
            ["2026-01-01T10:40", "2026-01-02T09:00", "2026-01-02T09:20"]
        ),
        ("0 0 29 2 *", "2026-01-01T00:00", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]),
        ("0 0 31 * *", "2026-01-31T00:00", ["2026-03-31T00:00", "2026-05-31T00:00", "2026-07-31T00:00"]),
        (
            "5,10-12 0 1 JAN,Jul *", "2026-01-01T00:10",
            ["2026-01-01T00:11", "2026-01-01T00:12", "2026-07-01T00:05"]
        ),
        ("0 12 * * 7", "2026-11-21T00:00", ["2026-11-22T12:00", "2026-11-29T12:00", "2026-12-06T12:00"]),
        ("0 12 * * 5-7", "2026-11-20T12:00", ["2026-11-21T12:00", "2026-11-22T12:00", "2026-11-27T12:00"]),
        ("@weekly", "2026-11-22T00:00", ["2026-11-29T00:00", "2026-12-06T00:00", "2026-12-13T00:00"]),
        ("@monthly", "2026-11-22T00:00", ["2026-12-01T00:00", "2027-01-01T00:00", "2027-02-01T00:00"]),
        ("@yearly", "2026-11-22T00:00", ["2027-01-01T00:00", "2028-01-01T00:00", "2029-01-01T00:00"]),
        ("@hourly", "2026-11-22T23:30", ["2026-11-23T00:00", "2026-11-23T01:00", "2026-11-23T02:00"]),
    ])
    func `an expression gives its times`(text: String, start: String, expected: [String]) throws {
        #expect(try times(text, after: start) == expected)
    }

    @Test
    func
        `where both fields about days say something, one is enough; one that begins with a star says nothing`()
        throws
    {
        #expect(
            try times("0 0 13 * fri", after: "2026-11-01T00:00", 4)
                == ["2026-11-06T00:00", "2026-11-13T00:00", "2026-11-20T00:00", "2026-11-27T00:00"])
        #expect(
            try times("0 0 13 * *", after: "2026-11-01T00:00", 2) == ["2026-11-13T00:00", "2026-12-13T00:00"])
        #expect(
            try times("0 0 */10 * fri", after: "2026-11-01T00:00", 2)
                == ["2026-12-11T00:00", "2027-01-01T00:00"])
    }

    @Test func `a time that the clocks leave out is there at the moment at which they do`() throws {
        #expect(
            try times("30 2 * * *", in: "Europe/Berlin", after: "2026-03-28T00:00")
                == ["2026-03-28T02:30", "2026-03-29T03:00", "2026-03-30T02:30"])
        #expect(
            try times("*/30 * * * *", in: "America/New_York", after: "2026-03-08T01:00", 4)
                == ["2026-03-08T01:30", "2026-03-08T03:00", "2026-03-08T03:30", "2026-03-08T04:00"])
    }

    @Test func `a time that the clocks show twice is there the first time alone`() throws {
        let rules = try #require(TimeZoneFile.rules(of: "Europe/Berlin"))
        let expression = try CronExpression("30 2 * * *")
        let midnight = try #require(WallTime.moment(of: "2026-10-25T00:00", in: rules))
        let first = try #require(expression.next(after: midnight, in: rules))
        #expect(WallTime.text(of: first) == "2026-10-25T00:30:00Z")
        let second = try #require(expression.next(after: first, in: rules))
        #expect(WallTime.text(of: second) == "2026-10-26T01:30:00Z")
    }

    @Test func `a whole day that a zone left out is there at the moment at which it did`() throws {
        #expect(
            try times("0 12 * * *", in: "Pacific/Apia", after: "2011-12-28T13:00")
                == ["2011-12-29T12:00", "2011-12-31T00:00", "2011-12-31T12:00"])
    }

    /// The hours in which the two zones change their clocks, and two others.
    @Test(arguments: ["Europe/Berlin", "America/New_York"], [1, 2, 3, 0, 17])
    func `a daily time comes once on each day of many years, where the reference says`(
        zone: String, hour: Int
    ) throws {
        let seed = UInt64(hour)
        var random = SeededGenerator(seed: seed)
        let minute = Int.random(in: 0...59, using: &random)
        let rules = try #require(TimeZoneFile.rules(of: zone))
        let expression = try CronExpression("\(minute) \(hour) * * *")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        var moment = try #require(WallTime.moment(of: "1996-01-01T00:00", in: rules)) - 1
        for day in CivilTime.days(year: 1996, month: 1, day: 1)..<CivilTime.days(year: 2024, month: 1, day: 1)
        {
            moment = try #require(expression.next(after: moment, in: rules))
            let date = CivilTime.date(ofDay: day)
            let found = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute], from: Date(timeIntervalSince1970: Double(moment)))
            let comment: Comment = "seed \(seed): \(minute) \(hour) on \(date) in \(zone)"
            #expect((found.year, found.month, found.day) == (date.year, date.month, date.day), comment)
            // The reference shows the time itself, or the end of the gap in which it is not.
            if (found.hour, found.minute) != (hour, minute) {
                let before = calendar.dateComponents(
                    [.hour, .minute], from: Date(timeIntervalSince1970: Double(moment - 60)))
                let wanted = hour * 60 + minute
                let gap = (before.hour ?? 0) * 60 + (before.minute ?? 0) + 1
                #expect(gap <= wanted && wanted < (found.hour ?? 0) * 60 + (found.minute ?? 0), comment)
            }
            // The same time on the wall is not there earlier: the reference would show it an hour before.
            let earlier = calendar.dateComponents(
                [.hour, .minute], from: Date(timeIntervalSince1970: Double(moment - 3_600)))
            #expect((earlier.hour, earlier.minute) != (hour, minute), comment)
        }
    }

    @Test(arguments: [1 as UInt64, 2, 3, 4])
    func `the next time is the first minute that all fields describe`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func field(_ range: ClosedRange<Int>) -> String {
            if Int.random(in: 0..<3, using: &random) == 0 { return "*" }
            let low = Int.random(in: range, using: &random)
            let high = Int.random(in: low...range.upperBound, using: &random)
            return ["\(low)", "\(low)-\(high)", "\(low)-\(high)/3", "*/\(low + 1)", "\(low),\(high)"]
                .randomElement(using: &random) ?? "*"
        }
        for _ in 0..<40 {
            let fields = [field(0...59), field(0...23), field(1...28), field(1...12), field(0...6)]
            let expression = try CronExpression(fields.joined(separator: " "))
            let start = Int64.random(in: 0..<2_000_000_000, using: &random) / 60 * 60
            guard let next = expression.next(after: start, in: .utc), next < start + 90 * CivilTime.day else {
                continue
            }
            // The reference looks at each minute, and reads the fields in the simplest way.
            var minute = start
            let reference = Reference(fields)
            repeat { minute += 60 } while !reference.describes(minute)
            #expect(next == minute, "seed \(seed): \(fields) after \(start)")
        }
    }

    /// The numbers that five fields describe, written out.
    private struct Reference {
        let numbers: [Set<Int>]
        let isEither: Bool

        init(_ fields: [String]) {
            numbers = zip(fields, [0, 0, 1, 1, 0]).map { field, lowest in
                var numbers: Set<Int> = []
                for item in field.split(separator: ",") {
                    let parts = item.split(separator: "/")
                    let step = parts.count == 2 ? Int(parts[1]) ?? 1 : 1
                    let ends = parts[0].split(separator: "-").map { Int($0) }
                    let low = parts[0] == "*" ? lowest : ends[0] ?? 0
                    let high = parts[0] == "*" ? 59 : ends[ends.count - 1] ?? 0
                    numbers.formUnion(stride(from: low, through: high, by: step))
                }
                return numbers
            }
            isEither = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
        }

        /// Whether the fields describe a minute in UTC.
        func describes(_ moment: Int64) -> Bool {
            let day = CivilTime.dayNumber(of: moment)
            let rest = Int(moment - day * CivilTime.day)
            guard numbers[0].contains(rest / 60 % 60), numbers[1].contains(rest / 3_600) else { return false }
            let date = CivilTime.date(ofDay: day)
            let isDay = numbers[2].contains(date.day)
            let isWeekday = numbers[4].contains(CivilTime.weekday(ofDay: day))
            return numbers[3].contains(date.month) && (isEither ? isDay || isWeekday : isDay && isWeekday)
        }
    }

    @Test func `an expression has at most 256 bytes`() throws {
        let longest = "10," + String(repeating: "1,", count: 122) + "1 0 * * *"
        #expect(longest.utf8.count == 256)
        #expect(throws: Never.self) { try CronExpression(longest) }
        #expect(throws: CodingFailure.self) { try CronExpression(longest + " ") }
    }

    @Test(arguments: [
        (
            "", #"five fields, or one of @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly"#,
            #""""#
        ),
        (
            "@reboot",
            #"five fields, or one of @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly"#,
            #""@reboot""#
        ),
        (
            "0 0 * *",
            #"five fields, or one of @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly"#,
            #""0 0 * *""#
        ),
        ("60 0 * * *", "a minute from 0 to 59, in a list or range such as 1,5-9,*/2", #""60""#),
        ("0 24 * * *", "an hour from 0 to 23, in a list or range such as 1,5-9,*/2", #""24""#),
        ("0 0 0 * *", "a day of the month from 1 to 31, in a list or range such as 1,5-9,*/2", #""0""#),
        ("0 0 1 13 *", "a month from 1 to 12, in a list or range such as 1,5-9,*/2", #""13""#),
        ("0 0 1 foo *", "a month from 1 to 12, in a list or range such as 1,5-9,*/2", #""foo""#),
        ("0 0 * * 8", "a day of the week from 0 to 7, in a list or range such as 1,5-9,*/2", #""8""#),
        (
            "0 0 * * fri-mon", "a day of the week from 0 to 7, in a list or range such as 1,5-9,*/2",
            #""fri-mon""#
        ),
        ("*/0 0 * * *", "a minute from 0 to 59, in a list or range such as 1,5-9,*/2", #""*/0""#),
        ("1,,2 0 * * *", "a minute from 0 to 59, in a list or range such as 1,5-9,*/2", #""1,,2""#),
        ("5/10 0 * * *", "a minute from 0 to 59, in a list or range such as 1,5-9,*/2", #""5/10""#),
        ("0 0 30 2 *", "a day that some month of the expression has", #""0 0 30 2 *""#),
        ("0 0 31 4,jun,9-9 *", "a day that some month of the expression has", #""0 0 31 4,jun,9-9 *""#),
    ])
    func `what is no expression, or never comes, is refused`(text: String, expected: String, found: String) {
        let failure = CodingFailure(pointer: JSONPointer(tokens: ["cron"]), expected: expected, found: found)
        #expect(throws: failure) { try CronExpression(text, at: [SettingsName(stringValue: "cron")]) }
    }
}
