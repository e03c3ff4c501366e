// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// Whole runs with the plugin `schedule`.
@Suite(.timeLimit(.minutes(10))) struct ScheduleRunTests {
    /// A host with jobs as they stand in a configuration, and further members of that.
    private func scene(_ jobs: String, _ members: String = "") throws -> Scene {
        try Scene(
            #"{ \#(members)"plugins": [{ "id": "schedule", "settings": { "jobs": { \#(jobs) } } }] }"#,
            libraries: ["SchedulePlugin"])
    }

    @Test func `the configuration of its README does what its case says`() throws {
        let example = try #require(
            try GuidePage("Plugins/Schedule/README.md").sessions.first { $0.heading == "Example" })
        let scene = try Scene(
            "{ \"plugins\": [\(example.blocks[0].lines.joined(separator: "\n"))] }",
            libraries: ["SchedulePlugin"])
        try scene.folder.write(example.blocks[1].lines.joined(separator: "\n"), to: "plugins.test.json")
        let outcome = try scene.call("test")
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(try scene.run(input: #"{"type":"other"}"#).exitCode == 0)
    }

    @Test func `a job is done by the clock of the machine`() throws {
        let scene = try scene(#""j": { "every": 1, "emit": "done", "payload": { "n": 1 } }"#)
        let child = try scene.start(["--print", "actions"])
        try child.waitForOutput(#"{"type":"done","payload":{"n":1},"meta":{"job":"j","at":"#)
        child.signal(15)
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `what was missed while the host did not run, or the gate was closed, is told`() throws {
        let scene = try scene(
            #""j": { "every": 600, "emit": "done" }"#,
            #""ingress": { "allow": ["*", "host/gate/*"] }, "#)
        let kept = #"{ "definition": "every 600", "last": 1795327200, "runs": 5, "missed": 0 }"#
        try scene.folder.write(
            """
            { "cases": [
              { "name": "A host that was away for half an hour",
                "start": { "clock": 1795329000, "state": { "schedule": { "jobs": { "j": \(kept) }, "due": [] } } },
                "steps": [
                  { "expect": [
                      "schedule/tick",
                      { "type": "schedule/missed",
                        "payload": { "job": "j", "count": 2, "from": 1795327800, "to": 1795328400 } },
                      { "type": "done", "meta": { "job": "j", "at": 1795329000 } } ],
                    "state": { "/schedule/jobs/j/runs": 6, "/schedule/jobs/j/missed": 2 } } ] },
              { "name": "A gate that was closed for half an hour",
                "start": { "clock": 1795327260 },
                "steps": [
                  { "advance": "9m", "expect": { "among": ["done"] } },
                  { "send": { "type": "host/gate/close", "payload": "schedule" } },
                  { "advance": "35m", "expect": [] },
                  { "send": { "type": "host/gate/open", "payload": "schedule" },
                    "expect": { "among": [
                      { "type": "schedule/missed",
                        "payload": { "job": "j", "count": 3, "from": 1795328400, "to": 1795329600 } } ] } },
                  { "advance": "10m", "expect": { "among": ["done"], "none": ["schedule/missed"] } } ] }
            ] }
            """, to: "plugins.test.json")
        let outcome = try scene.call("test")
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test func `a job goes on in the next run where the host keeps a journal`() throws {
        let scene = try scene(
            #""j": { "every": 1, "emit": "done", "missed": "run" }"#,
            #""journal": { "directory": "journal" }, "#)
        for _ in 0..<2 {
            let child = try scene.start(["--print", "actions"])
            try child.waitForOutput(#"{"type":"done","meta":{"job":"j","at":"#)
            child.signal(15)
            #expect(try child.finish().exitCode == 0)
        }
        let runs = try JSONText.parse(scene.call("state", "/schedule/jobs/j/runs").output).intValue
        #expect(try #require(runs) >= 2)
    }

    @Test(arguments: [
        (
            #""cron": "0 0 30 2 *""#,
            #"/plugins/0/settings/jobs/j/cron: expected a day that one of the months has, found "0 0 30 2 *"; correct it"#
        ),
        (
            #""cron": "0 0 31 apr,jun *""#,
            #"/plugins/0/settings/jobs/j/cron: expected a day that one of the months has, found "0 0 31 apr,jun *"; correct it"#
        ),
        (
            #""cron": "60 * * * *""#,
            #"/plugins/0/settings/jobs/j/cron: expected five fields, such as "30 7 * * mon-fri": minute, hour, day of the month, month and day of the week, found "60 * * * *"; correct it"#
        ),
        (
            #""at": "2026-02-29T00:00", "timeZone": "berlin""#,
            #"/plugins/0/settings/jobs/j/timeZone: expected UTC, or a time zone such as "Europe/Berlin", found "berlin"; correct it"#
        ),
        (
            #""at": "2026-04-31T00:00""#,
            #"/plugins/0/settings/jobs/j/at: expected a date and a time such as "2026-12-24T18:00", found "2026-04-31T00:00"; correct it"#
        ),
        (
            #""evry": 5"#,
            #"/plugins/0/settings/jobs/j/evry: unknown key "evry"; did you mean "every"?"#
        ),
    ])
    func `wrong settings are refused by check, with place and remedy`(time: String, sentence: String) throws {
        let outcome = try scene(#""j": { "emit": "a", \#(time) }"#).call("check")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }

    @Test func `a zone that the system does not have is refused when the plugin is tried`() throws {
        let scene = try scene(#""j": { "every": 5, "emit": "a", "timeZone": "Europe/Berln" }"#)
        let outcome = try scene.call("check", "--rehearse")
        #expect(
            outcome.errors.contains(
                #"/plugins/0/settings/jobs/j/timeZone: expected UTC, or a time zone such as "Europe/Berlin", found "Europe/Berln""#
            ),
            "\(outcome.errors)")
        #expect(outcome.exitCode != 0)
    }

    @Test(arguments: [
        "* * * * *", "*/5 0-3,7 1-31/2 1-12 sun-sat", "0 0 29 2 *", "0 0 31 2 mon", "0 0 30,31 1,2 *",
        "59 23 31 DEC 7", "@daily", "00 07 01 02 00",
    ])
    func `what the plugin takes check takes too`(expression: String) throws {
        let outcome = try scene(#""j": { "emit": "a", "cron": "\#(expression)" }"#).call(
            "check", "--rehearse")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }
}
