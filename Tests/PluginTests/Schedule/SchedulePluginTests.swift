// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import SchedulePlugin

@Suite(.timeLimit(.minutes(10))) struct SchedulePluginTests {
    /// 2026-11-22T06:00:00Z, a Sunday.
    private let start = 1_795_327_200.0

    /// A schedule of one job called `j` that emits `done`.
    private func store(
        _ job: Members, restoring state: Value? = nil, from time: Double? = nil
    ) throws -> TestStore<AnyAction, Schedule.State> {
        var job = job
        job["emit"] = "done"
        let store = try TestStore(
            Schedule.self, settings: ["jobs": ["j": .object(job)]], restoring: state,
            services: TestServices(unixTime: time ?? start))
        store.isExhaustive = false
        return store
    }

    /// What was emitted since the last time, ticks apart: the moment or the payload, each after the type.
    private func emitted(_ store: TestStore<AnyAction, Schedule.State>) -> [String] {
        store.takeEmitted().map(\.action).filter { $0.type != Schedule.tick }.map { action in
            action.meta?["at"]?.intValue.map { "\(action.type) \($0 - Int(start))" }
                ?? "\(action.type) \(action.payload?.json() ?? "")"
        }
    }

    /// The state of a host that ended at a time, with the job as it was then.
    private func kept(_ definition: String, last: Double) -> Value {
        [
            "jobs": [
                "j": [
                    "definition": .string(definition), "last": .integer(Int64(last)), "runs": 5, "missed": 0,
                ]
            ], "due": [],
        ]
    }

    // MARK: - In time

    @Test func `a job is done each time, and its action says for when`() throws {
        let store = try store(["every": 90, "payload": ["n": 1]])
        #expect(emitted(store) == [])
        store.advance(by: .seconds(269))
        #expect(emitted(store) == ["done 90", "done 180"])
        store.advance(by: .seconds(1))
        let action = try #require(store.takeEmitted().map(\.action).last)
        #expect(
            try action.wireForm() == [
                "type": "done", "payload": ["n": 1],
                "meta": ["job": "j", "at": .integer(Int64(start) + 270)],
            ])
        #expect(store.state.jobs["j"]?.runs == 3)
        #expect(store.state.jobs["j"]?.missed == 0)
    }

    @Test func `a restart does not move the times of a job`() throws {
        let first = try store(["every": 3_600], from: start + 100)
        first.advance(by: .seconds(200))
        let second = try store(
            ["every": 3_600], restoring: try Value(encoding: first.state), from: start + 400)
        second.advance(by: .seconds(3_200))
        #expect(emitted(second) == ["done 3600"])
    }

    @Test func `a cron expression is done in its zone`() throws {
        // Berlin is an hour ahead in November.
        let store = try TestStore(
            Schedule.self,
            settings: [
                "jobs": [
                    "b": ["cron": "30 7 * * *", "emit": "berlin"],
                    "u": ["cron": "30 7 * * *", "emit": "utc", "timeZone": "UTC"],
                ], "timeZone": "Europe/Berlin",
            ], services: TestServices(unixTime: start))
        store.isExhaustive = false
        store.advance(by: .seconds(7_200))
        #expect(emitted(store) == ["berlin 1800", "utc 5400"])
    }

    @Test func `a single time is done once, and not again after a restart`() throws {
        let settings: Members = ["at": "2026-11-22T06:10:00Z"]
        let first = try store(settings)
        first.advance(by: .seconds(3_600))
        #expect(emitted(first) == ["done 600"])
        let second = try store(settings, restoring: try Value(encoding: first.state), from: start + 3_600)
        second.advance(by: .seconds(3_600))
        #expect(emitted(second) == [])
    }

    @Test func `a single time that was over when the job came is not made up for`() throws {
        let store = try store(["at": "2026-11-22T05:59", "missed": "run"])
        store.advance(by: .seconds(60))
        #expect(emitted(store) == [])
    }

    @Test func `several jobs of one moment are done in the order written`() throws {
        let store = try TestStore(
            Schedule.self,
            settings: ["jobs": ["z": ["every": 60, "emit": "z"], "a": ["every": 30, "emit": "a"]]],
            services: TestServices(unixTime: start))
        store.isExhaustive = false
        store.advance(by: .seconds(60))
        #expect(emitted(store) == ["a 30", "z 60", "a 60"])
    }

    // MARK: - Missed

    @Test func `what was missed is told, with how often and from when to when`() throws {
        let store = try store(["every": 600], restoring: kept("every 600", last: start), from: start + 2_000)
        store.advance(by: .zero)
        #expect(
            emitted(store) == [
                #"missed {"job":"j","count":3,"from":1795327800,"to":1795329000}"#
            ])
        #expect(
            store.log == ["warning: j: 3 times were missed from 2026-11-22T06:10:00Z to 2026-11-22T06:30:00Z"]
        )
        store.advance(by: .seconds(400))
        #expect(emitted(store) == ["done 2400"])
        #expect(store.state.jobs["j"]?.runs == 6)
        #expect(store.state.jobs["j"]?.missed == 3)
    }

    @Test func `what was missed is run once, or skipped, where that is set`() throws {
        let run = try store(
            ["every": 600, "missed": "run"], restoring: kept("every 600", last: start), from: start + 2_000)
        run.advance(by: .zero)
        #expect(emitted(run) == ["done 1800"])
        #expect(run.state.jobs["j"]?.runs == 6)
        #expect(run.state.jobs["j"]?.missed == 2)
        let skip = try store(
            ["every": 600, "missed": "skip"], restoring: kept("every 600", last: start), from: start + 2_000)
        skip.advance(by: .zero)
        #expect(emitted(skip) == [])
        #expect(skip.state.jobs["j"]?.missed == 3)
        #expect(skip.log == [])
    }

    @Test func `a minute late is in time`() throws {
        let store = try store(["every": 600], restoring: kept("every 600", last: start), from: start + 660)
        store.advance(by: .zero)
        #expect(emitted(store) == ["done 600"])
        let late = try self.store(
            ["every": 600], restoring: kept("every 600", last: start), from: start + 661)
        late.advance(by: .zero)
        #expect(emitted(late).first?.hasPrefix(#"missed {"job":"j","count":1"#) == true)
    }

    @Test func `a single time that was missed is run late where that is set`() throws {
        let text = "2026-11-22T06:10:00Z"
        let store = try store(
            ["at": .string(text), "missed": "run"], restoring: kept("at \(text) UTC", last: start),
            from: start + 100_000)
        store.advance(by: .zero)
        #expect(emitted(store) == ["done 600"])
    }

    @Test func `a job whose times were changed begins anew`() throws {
        let store = try store(
            ["every": 600], restoring: kept("every 60", last: start - 1_000_000), from: start)
        store.advance(by: .seconds(600))
        #expect(emitted(store) == ["done 600"])
        #expect(store.state.jobs["j"]?.runs == 1)
    }

    @Test func `more than a thousand times of an expression are not counted, and the last is right`() throws {
        let expression = Recurrence.cron(try CronExpression("* * * * *"), .utc)
        let passed = try #require(expression.passed(after: 0, to: 1_000_000_030))
        #expect(passed == .init(count: 1_000, first: 60, latest: 1_000_000_020, previous: 999_999_960))
        let rare = Recurrence.cron(try CronExpression("* * 1 1 *"), .utc)
        // The end of 1 January 2001, asked for in March.
        #expect(rare.passed(after: 0, to: 983_404_800)?.latest == 978_393_540)
        #expect(
            Recurrence.every(7).passed(after: 0, to: 701)
                == .init(count: 100, first: 7, latest: 700, previous: 693))
        #expect(
            Recurrence.every(7).passed(after: 0, to: 7) == .init(count: 1, first: 7, latest: 7, previous: nil)
        )
        #expect(Recurrence.every(7).passed(after: 0, to: 6) == nil)
    }

    // MARK: - Clocks and gates

    @Test
    func `a clock that was set back by much makes the jobs begin anew, one that was not makes them wait`()
        throws
    {
        let much = try store(
            ["every": 600], restoring: kept("every 600", last: start + 100_000), from: start)
        much.advance(by: .seconds(600))
        #expect(emitted(much) == ["done 600"])
        let little = try store(["every": 60], restoring: kept("every 60", last: start + 120), from: start)
        little.advance(by: .seconds(180))
        #expect(emitted(little) == ["done 180"])
    }

    @Test func `a tick from elsewhere does nothing before its time`() throws {
        let store = try store(["every": 600])
        store.advance(by: .zero)
        let before = try Value(encoding: store.state)
        try store.send(AnyAction(Schedule.tick, payload: ["at": 1e300]))
        #expect(emitted(store) == [])
        #expect(try Value(encoding: store.state) == before)
        store.advance(by: .seconds(600))
        #expect(emitted(store) == ["done 600"])
    }

    @Test func `nothing runs without jobs, and without a clock the instance is failing`() async throws {
        let idle = try TestStore(Schedule.self)
        #expect(idle.runningEffects == 0)
        try await idle.finish()
        let status = PluginStatus()
        let store = try TestStore(
            Schedule.self, settings: ["jobs": ["j": ["every": 1, "emit": "x"]]], clock: nil,
            services: TestServices(status: status))
        #expect(store.runningEffects == 0)
        #expect(
            status.health
                == .failing(
                    "it has no clock, so no job is done; grant it \"clock\" in \"lift\"/\"dependencies\""))
        try await store.finish()
    }

    @Test func `a stop ends what waits`() async throws {
        let store = try store(["every": 600])
        #expect(store.runningEffects == 1)
        store.stop()
        #expect(store.runningEffects == 0)
        try await store.finish()
    }

    @Test func `a run that was restored from its own state goes on as if nothing had happened`() throws {
        let settings: Members = ["cron": "*/7 * * * *"]
        let whole = try store(settings)
        whole.advance(by: .seconds(7_200))
        let first = try store(settings)
        first.advance(by: .seconds(3_000))
        let second = try store(
            settings, restoring: try Value(encoding: first.state), from: start + 3_000)
        second.advance(by: .seconds(4_200))
        #expect(emitted(first) + emitted(second) == emitted(whole))
        #expect(try Value(encoding: second.state) == Value(encoding: whole.state))
    }

    // MARK: - Settings

    @Test(
        arguments: [
            (["j": ["emit": "a"]], #"/jobs/j: expected one of "every", "cron" and "at", found none of them"#),
            (
                ["j": ["emit": "a", "every": 1, "at": "2026-01-01T00:00"]],
                #"/jobs/j: expected one of "every", "cron" and "at", found several"#
            ),
            (["j": ["every": 1]], #"/jobs/j: expected a member "emit", found none"#),
            (["j": ["every": 0, "emit": "a"]], "/jobs/j/every: expected 1 to 31622400 seconds, found 0"),
            (
                ["j": ["cron": "0 0 30 2 *", "emit": "a"]],
                #"/jobs/j/cron: expected a day that some month of the expression has, found "0 0 30 2 *""#
            ),
            (
                ["j": ["at": "2026-02-30T00:00", "emit": "a"]],
                #"/jobs/j/at: expected a date and a time such as "2026-12-24T18:00", found "2026-02-30T00:00""#
            ),
            (
                ["j": ["every": 1, "emit": "a", "timeZone": "Europe/Berln"]],
                #"/jobs/j/timeZone: expected UTC, or a time zone in /usr/share/zoneinfo such as "Europe/Berlin", found "Europe/Berln""#
            ),
            (
                ["j": ["every": 1, "emit": "a*"]],
                #"/jobs/j/emit: expected one action type without *, found "a*""#
            ),
            (
                ["J": ["every": 1, "emit": "a"]],
                #"/jobs: expected names of 1 to 64 lower-case letters, digits and -, found "J""#
            ),
        ] as [(Value, String)])
    func `settings that do not fit are refused with place and remedy`(jobs: Value, message: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(Schedule.self, settings: ["jobs": jobs])
        }
        #expect(failure?.description == message)
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Schedule.checkManifest(at: "Plugins/Schedule/plugin.json")
    }
}
