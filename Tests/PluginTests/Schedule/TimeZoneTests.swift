// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeededTesting
import Testing

@testable import SchedulePlugin

/// Time zones as their files say them; the reference is Foundation, which reads them with ICU.
@Suite(.timeLimit(.minutes(10))) struct TimeZoneTests {
    private func rules(_ zone: String) throws -> TimeZoneRules {
        try #require(TimeZoneFile.rules(of: zone), "\(zone)")
    }

    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "Europe/Dublin", "Australia/Lord_Howe", "Asia/Kolkata",
        "America/Sao_Paulo", "Pacific/Auckland", "Africa/Nairobi",
    ])
    func `the offset of each moment is that of the reference`(zone: String) throws {
        let seed = zone.utf8.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) }
        var random = SeededGenerator(seed: seed)
        let rules = try rules(zone)
        let reference = try #require(TimeZone(identifier: zone))
        // From 1970, when both have the same history, to 2023: laws change, and the reference learns of it at another time.
        for _ in 0..<5_000 {
            let moment = Int64.random(in: 0..<1_700_000_000, using: &random)
            let date = Date(timeIntervalSince1970: Double(moment))
            #expect(
                rules.offset(at: moment) == reference.secondsFromGMT(for: date),
                "seed \(seed): \(zone) at \(moment)")
        }
    }

    @Test(arguments: [("CET-1CEST,M3.5.0,M10.5.0/3", 3_600), ("EST5EDT,M3.2.0,M11.1.0", -18_000)])
    func `what is done each year is done for ever`(line: String, standard: Int) throws {
        let rules = TimeZoneRules(transitions: [], offsets: [], first: 0, yearly: YearlyRule(line))
        for year in 1990...2400 {
            let winter = CivilTime.days(year: year, month: 1, day: 15) * CivilTime.day
            let summer = CivilTime.days(year: year, month: 7, day: 15) * CivilTime.day
            #expect(rules.offset(at: winter) == standard)
            #expect(rules.offset(at: summer) == standard + 3_600)
        }
    }

    @Test func `in the south a part of the year with another offset begins in one year and ends in the next`()
    {
        let rules = TimeZoneRules(
            transitions: [], offsets: [], first: 0, yearly: YearlyRule("NZST-12NZDT,M9.5.0,M4.1.0/3"))
        #expect(rules.offset(at: CivilTime.days(year: 2040, month: 1, day: 15) * CivilTime.day) == 46_800)
        #expect(rules.offset(at: CivilTime.days(year: 2040, month: 7, day: 15) * CivilTime.day) == 43_200)
        #expect(rules.offset(at: CivilTime.days(year: 2040, month: 12, day: 15) * CivilTime.day) == 46_800)
    }

    /// The two changes of 2040 in each zone, and of what Ireland calls its standard time: moments in Greenwich, and the offsets
    /// before and after.
    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-03-25T01:00", 3_600, 7_200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-10-28T01:00", 7_200, 3_600),
        ("EST5EDT,M3.2.0,M11.1.0", "2040-03-11T07:00", -18_000, -14_400),
        ("EST5EDT,M3.2.0,M11.1.0", "2040-11-04T06:00", -14_400, -18_000),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2040-09-29T14:00", 43_200, 46_800),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2040-03-31T14:00", 46_800, 43_200),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2040-10-06T15:30", 37_800, 39_600),
        ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2040-03-31T15:00", 39_600, 37_800),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2040-10-28T01:00", 3_600, 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2040-03-25T01:00", 0, 3_600),
        // The 60th day is 1 March in each year, also in one with 29 February.
        ("EST5EDT,J59,J300", "2040-02-28T07:00", -18_000, -14_400),
        ("EST5EDT,J60,J300", "2040-03-01T07:00", -18_000, -14_400),
    ])
    func `a yearly change is at its very second`(line: String, change: String, before: Int, after: Int) throws
    {
        let rules = TimeZoneRules(transitions: [], offsets: [], first: 0, yearly: YearlyRule(line))
        let moment = try #require(WallTime.moment(of: change, in: .utc))
        #expect(rules.offset(at: moment - 1) == before)
        #expect(rules.offset(at: moment) == after)
    }

    @Test(arguments: [
        ("Europe/Berlin", "2021-03-28T01:00", 3_600, 7_200),
        ("Europe/Berlin", "2021-10-31T01:00", 7_200, 3_600),
        ("America/New_York", "2021-03-14T07:00", -18_000, -14_400),
        ("America/New_York", "2021-11-07T06:00", -14_400, -18_000),
        ("Australia/Lord_Howe", "2021-10-02T15:30", 37_800, 39_600),
        ("Europe/Berlin", "2100-03-28T01:00", 3_600, 7_200),
        ("Europe/Berlin", "2100-10-31T01:00", 7_200, 3_600),
    ])
    func `a change of a zone's file is at its very second`(
        zone: String, change: String, before: Int, after: Int
    )
        throws
    {
        let rules = try rules(zone)
        let moment = try #require(WallTime.moment(of: change, in: .utc))
        #expect(rules.offset(at: moment - 1) == before)
        #expect(rules.offset(at: moment) == after)
    }

    @Test func `dates and numbers of days belong together`() {
        var day = CivilTime.days(year: 1899, month: 12, day: 31)
        for year in 1900...2110 {
            for month in 1...12 {
                for number in 1...CivilTime.length(year: year, month: month) {
                    day += 1
                    #expect(CivilTime.days(year: year, month: month, day: number) == day)
                    #expect(CivilTime.date(ofDay: day) == (year, month, number))
                }
            }
        }
        #expect(CivilTime.weekday(ofDay: 0) == 4)
        #expect(CivilTime.weekday(ofDay: -1) == 3)
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", 3_600, 7_200), ("<+0330>-3:30", 12_600, nil), ("UTC0", 0, nil),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", 3_600, 0), ("EST5EDT4:30:15,J60/-1,365/167", -18_000, -16_215),
    ])
    func `the last line of a file is read`(line: String, standard: Int, saving: Int?) throws {
        let rule = try #require(YearlyRule(line))
        #expect(rule.standard == standard)
        #expect(rule.saving?.offset == saving)
    }

    @Test(arguments: [
        "", "CET", "1", "CET-1CEST", "CET-1CEST,M13.1.0,M1.1.0", "CET-1CEST,M3.5.0", "CET-200", "<+1-1",
        "CET-1 ",
    ])
    func `what is no such line is refused`(line: String) {
        #expect(YearlyRule(line) == nil)
    }

    @Test(arguments: [
        "", "utc", "Europe/Berln", "/etc/passwd", "../../etc/passwd", "Europe/../Europe/Berlin", "Europe/",
        "Europe",
    ])
    func `what is no zone is refused, and nothing else is opened`(name: String) {
        #expect(TimeZoneFile.rules(of: name) == nil)
    }

    @Test func `damaged files are refused or read, and never more`() throws {
        let file = try Data(contentsOf: URL(filePath: TimeZoneFile.folder + "/Europe/Berlin"))
        let whole = [UInt8](file)
        #expect(TimeZoneFile.rules(from: whole) != nil)
        for length in 0..<whole.count - 30 where length % 7 == 0 || length < 100 {
            #expect(TimeZoneFile.rules(from: Array(whole.prefix(length))) == nil)
        }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let rules = TimeZoneFile.rules(from: bytes) else { continue }
            let offset = rules.offset(at: .random(in: 0..<Moments.last, using: &random))
            #expect(abs(offset) < 1_000_000)
        }
    }
}
