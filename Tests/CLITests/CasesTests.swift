// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// `gatehouse test`, on the built program.
@Suite(.timeLimit(.minutes(10))) struct CasesTests {
    /// What came of cases that stand beside a configuration of these plugins.
    private func run(
        _ cases: String, _ plugins: String = #"{ "id": "timed" }"#, libraries: [String] = ["TimedPlugin"],
        _ arguments: [String] = []
    ) throws -> ChildProcess.Outcome {
        let scene = try Scene("{ \"plugins\": [\(plugins)] }", libraries: libraries)
        try scene.folder.write("{ \"cases\": [\n\(cases)\n] }", to: "plugins.test.json")
        return try ChildProcess.run(
            arguments: ["test"] + arguments, in: scene.folder.path, environment: scene.environment)
    }

    // MARK: - How it goes

    @Test func `each case is told in one line, how many have passed on standard error, with 0`() throws {
        let outcome = try run(
            """
            { "name": "one", "send": { "type": "counter/increment" }, "state": { "/counter/count": 1 } },
            { "name": "each case begins anew", "send": { "type": "counter/increment" }, "state": { "/counter": { "count": 1 } } }
            """, #"{ "id": "counter" }"#, libraries: ["CounterPlugin"])
        #expect(outcome.output == "pass  one\npass  each case begins anew\n")
        #expect(outcome.errors == "gatehouse: 2 cases passed\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `what a plugin prints is told before the number of cases, also without the end of a line`()
        throws
    {
        let outcome = try run(
            #"{ "name": "one", "send": { "type": "ending/print", "payload": { "text": "half" } }, "expect": [] }"#,
            #"{ "id": "ending" }"#, libraries: ["EndingPlugin"])
        #expect(outcome.output == "pass  one\n")
        #expect(outcome.errors == "a plugin: half\ngatehouse: 1 case passed\n")
    }

    @Test func `an action that nobody hears fails the case, unless it says so`() throws {
        let outcome = try run(
            """
            { "name": "misspelled", "send": { "type": "counter/incremnt" }, "state": { "/counter/count": 0 } },
            { "name": "the second",
              "send": [{ "type": "counter/reset" }, { "type": "other" }], "expect": [] },
            { "name": "meant", "send": { "type": "other" }, "unheard": true },
            { "name": "meant, and heard", "send": { "type": "counter/reset" }, "unheard": true },
            { "name": "a gate hears", "send": { "type": "on", "payload": true }, "gates": { "counter": "active" } },
            { "name": "who may not come in is nobody's business",
              "send": { "type": "host/gate/close", "payload": "counter" }, "reports": ["may not carry host actions"] }
            """,
            #"""
            { "id": "counter", "gate": { "control": { "type": "on" }, "default": "bypass" } }
            """#, libraries: ["CounterPlugin"])
        #expect(
            outcome.output == """
                fail  misspelled
                      plugins.test.json:2:33: /cases/0/send: expected somebody to hear counter/incremnt, found that no instance does; correct the type, or say "unheard": true where that is meant
                fail  the second
                      plugins.test.json:4:41: /cases/1/send/1: expected somebody to hear other, found that no instance does; correct the type, or say "unheard": true where that is meant
                pass  meant
                fail  meant, and heard
                      plugins.test.json:6:68: /cases/3/unheard: expected nobody to hear counter/reset, found that it is heard by counter
                pass  a gate hears
                pass  who may not come in is nobody's business

                """)
        #expect(outcome.exitCode == 65)
    }

    @Test
    func `a clock that is moved ahead of what is sent is refused, because it is moved after it`()
        throws
    {
        let outcome = try run(
            """
            { "name": "wrong way round", "advance": "1s", "send": { "type": "timed/remind" }, "expect": [] }
            """)
        #expect(
            outcome.errors
                == "plugins.test.json:2:30: /cases/0/advance: a step sends before it moves the clock; write \"advance\" after \"send\", or in a step of its own before\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `what differs is shown line by line at its place in the file, with 65`() throws {
        let outcome = try run(
            """
            { "name": "wrong",
              "send": [{ "type": "probe/ping", "payload": { "number": 1 } },
                       { "type": "probe/ping", "payload": { "number": 2 } }],
              "expect": ["probe/pong", { "type": "probe/pong", "payload": { "number": 3 } }],
              "state": { "/probe/heard": 3, "/nowhere": null, "/a": { "b": 1 } },
              "gates": { "probe": "bypass" } }
            """, #"{ "id": "probe" }, { "id": "logger", "lift": { "dependencies": [] } }"#,
            libraries: ["ProbePlugin", "LoggerPlugin"])
        #expect(
            outcome.output == """
                fail  wrong
                      plugins.test.json:5:3: /cases/0/expect: expected other actions
                          probe/pong {"number":1} from probe
                        - probe/pong {"number":3}
                        + probe/pong {"number":2} from probe
                      plugins.test.json:6:3: /cases/0/state: expected another state
                        - /probe/heard 3
                        + /probe/heard 2
                        - /a {"b":1}
                      plugins.test.json:7:14: /cases/0/gates/probe: expected the gate of probe to be bypass, found it active
                      log: logger: probe/ping from plugins.test.json:3
                      log: logger: probe/pong from probe
                      log: logger: probe/ping from plugins.test.json:4
                      log: logger: probe/pong from probe

                """)
        #expect(outcome.errors == "gatehouse: 0 cases passed, 1 failed\n")
        #expect(outcome.exitCode == 65)
    }

    @Test func `outputs that come after the last look at them fail a case that looks at outputs`() throws {
        let steps = { (last: String) in
            """
            { "name": "ping", "steps": [
              { "expect": [] }, { "send": { "type": "probe/ping", "payload": { "number": 1 } }\(last) }] }
            """
        }
        let probe = #"{ "id": "probe" }"#
        #expect(
            try run(steps(#", "state": { "/probe/heard": 1 }"#), probe, libraries: ["ProbePlugin"]).output
                == """
                fail  ping
                      plugins.test.json:3:5: /cases/0/steps/0/expect: expected no more actions after this, found some
                        + probe/pong {"number":1} from probe

                """)
        #expect(
            try run(steps(#", "expect": { "among": [] }"#), probe, libraries: ["ProbePlugin"]).output
                == "pass  ping\n")
    }

    @Test func `of a long difference the first hundred lines are shown`() throws {
        let outcome = try run(
            #"{ "name": "flood", "send": { "type": "probe/flood", "payload": { "count": 250 } }, "expect": [] }"#,
            #"{ "id": "probe" }"#, libraries: ["ProbePlugin"])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 103)
        #expect(lines.last == "        … and 150 more")
    }

    @Test func `what the host reports fails a case that does not expect it`() throws {
        let cases = """
            { "name": "no payload", "send": { "type": "probe/ping" }, "expect": [] },
            { "name": "told", "send": [{ "type": "probe/ping" }, { "type": "probe/stray" }, { "type": "host/reload" }],
              "reports": ["the payload does not fit", "may not emit probe/secret", "host/reload: input may not carry host actions"] },
            { "name": "told otherwise", "reports": ["something"], "expect": [] }
            """
        #expect(
            try run(cases, #"{ "id": "probe" }"#, libraries: ["ProbePlugin"]).output == """
                fail  no payload
                      plugins.test.json:2:1: /cases/0: expected no reports of the host, found some; list a part of each in "reports"
                        + plugins.test.json:2: probe/ping for probe: the payload does not fit: the whole value: expected a member "number", found none
                pass  told
                fail  told otherwise
                      plugins.test.json:5:29: /cases/2/reports: expected other reports of the host
                        - something

                """)
    }

    @Test func `a case begins with the state and the gates that it says`() throws {
        let outcome = try run(
            """
            { "name": "from 40", "start": { "state": { "counter": { "count": 40 }, "plain": 1 } },
              "send": { "type": "counter/increment" }, "state": { "": { "counter": { "count": 41 }, "other": { "count": 0 }, "plain": 1 } } },
            { "name": "closed", "start": { "gates": { "counter": "bypass", "other": "active" } },
              "steps": [
                { "gates": { "counter": "bypass", "other": "active" } },
                { "send": [{ "type": "counter/increment" }, { "type": "switch", "payload": true },
                           { "type": "counter/increment" }],
                  "state": { "/counter/count": 1, "/other/count": 2 }, "gates": { "counter": "active" } }] },
            { "name": "a state that does not fit", "start": { "state": { "counter": 7 } }, "expect": [] }
            """,
            """
            { "id": "counter", "gate": { "control": { "type": "switch" } } },
            { "id": "other", "library": "libCounterPlugin.so", "gate": "bypass", "lift": { "input": "counter/" } }
            """, libraries: ["CounterPlugin"])
        #expect(
            outcome.output == """
                pass  from 40
                pass  closed
                fail  a state that does not fit
                      plugins.json:1:15: /plugins/0/lift/state: "state" has an integer at /counter, where counter keeps an object; correct or remove it

                """)
        #expect(outcome.exitCode == 65)
    }

    // MARK: - Effects and time

    @Test func `only the case moves the clock, from deadline to deadline`() throws {
        let outcome = try run(
            """
            { "name": "reminders", "start": { "clock": "2026-01-31T12:00:00Z" }, "steps": [
              { "send": [{ "type": "timed/remind", "payload": { "id": "b", "after": 20 } },
                         { "type": "timed/remind", "payload": { "id": "a", "after": 10 } },
                         { "type": "timed/remind", "payload": { "id": "never", "after": 15 } },
                         { "type": "timed/forget", "payload": { "id": "never" } }], "expect": [] },
              { "advance": "9.999s", "expect": [] },
              { "advance": "1ms", "expect": [{ "type": "timed/due", "payload": { "id": "a" } }] },
              { "advance": "1d", "expect": [{ "type": "timed/due", "payload": { "id": "b" } }] },
              { "send": { "type": "timed/date" }, "expect": [{ "type": "timed/dated", "payload": 1769947210 }] }] },
            { "name": "a timer in the background", "send": { "type": "timed/watch" }, "advance": "3m",
              "expect": ["timed/tick", "timed/tick", "timed/tick"] }
            """)
        #expect(outcome.output == "pass  reminders\npass  a timer in the background\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `effects that end on threads of their own are waited for`() throws {
        let outcome = try run(
            """
            { "name": "asked beside a sleeper", "send": [{ "type": "timed/remind", "payload": { "id": "a", "after": 1 } },
              { "type": "timed/ask" }], "expect": ["timed/answered"] },
            { "name": "kept in a folder of the case",
              "steps": [
                { "send": { "type": "persistence/save", "payload": { "collection": "c", "id": "a", "value": 1 } },
                  "expect": ["persistence/saved"] },
                { "send": { "type": "persistence/request", "payload": { "collection": "c" } },
                  "expect": [{ "type": "persistence/received", "where": { "/documents/0/value": 1 } }] }] }
            """, #"{ "id": "timed" }, { "id": "persistence" }"#,
            libraries: ["TimedPlugin", "PersistencePlugin"])
        #expect(
            outcome.output == "pass  asked beside a sleeper\npass  kept in a folder of the case\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `effects that do not end are named with their instance when the time is over`() throws {
        let outcome = try run(
            """
            { "name": "stays", "steps": [{ "send": { "type": "timed/stay" }, "expect": [] }, { "state": { "/a": 1 } }] },
            { "name": "goes on", "expect": [] }
            """, #"{ "id": "timed" }"#, ["--limit", "0.05"])
        #expect(
            outcome.output == """
                fail  stays
                      plugins.test.json:2:30: /cases/0/steps/0: after 0.05 s effects had not ended: timed: 1; stub them in "effects", or allow more time with --limit
                pass  goes on

                """)
        #expect(outcome.exitCode == 65)
    }

    @Test(arguments: [("spin", "an effect"), ("loop", "timed")])
    func `code that does not come back is named, and ends the cases`(action: String, who: String) throws {
        let outcome = try run(
            """
            { "name": "first", "expect": [] },
            { "name": "stuck", "send": { "type": "timed/\(action)" }, "expect": [] }, { "name": "never", "expect": [] }
            """, #"{ "id": "timed" }"#, ["--limit", "0.05"])
        let sentence =
            "plugins.test.json:3:1: /cases/1: after 0.05 s \(who) had not returned; it runs or waits forever, and no further case can run"
        #expect(outcome.output == "pass  first\nfail  stuck\n      \(sentence)\n")
        #expect(outcome.errors == "gatehouse: the case \"stuck\" does not come back: \(sentence)\n")
        #expect(outcome.exitCode == 65)
    }

    @Test func `a clock that cannot come far enough in time fails the case`() throws {
        let outcome = try run(
            #"{ "name": "years", "send": { "type": "timed/watch" }, "advance": "3650d", "expect": { "among": [] } }"#,
            #"{ "id": "timed" }"#, ["--limit", "0.05"])
        #expect(
            outcome.output.replacing(/reached [\d.]+ s/, with: "reached N s") == """
                fail  years
                      plugins.test.json:2:55: /cases/0/advance: after 0.05 s the clock had only reached N s from the start, because so much happens on the way; advance it by less, or allow more time with --limit

                """)
        #expect(outcome.exitCode == 65)
    }

    @Test(arguments: [#""stubbed""#, #"{ "timed": "stubbed" }"#])
    func `effects that are stubbed are counted and not run`(effects: String) throws {
        let outcome = try run(
            """
            { "name": "stays", "effects": \(effects), "send": [{ "type": "timed/stay" }, { "type": "timed/ask" },
              { "type": "timed/date" }], "advance": "1h", "expect": ["timed/dated"] }
            """)
        #expect(outcome.output == "pass  stays (2 effects not run)\n")
        #expect(outcome.exitCode == 0)
    }

    // MARK: - Files

    @Test func `what an instance of the configuration would not know is told before any case runs, with 78`()
        throws
    {
        let outcome = try run(
            """
            { "name": "a", "send": [{ "typ": "x" }, 3], "expect": [] },
            { "name": "b", "start": { "gates": { "timd": "active", "follower": "bypass" } },
              "effects": { "nobody": "stubbed" }, "gates": { "timed": "active", "x": "active" } }
            """,
            #"{ "id": "timed" }, { "id": "follower", "library": "libTimedPlugin.so", "gate": { "state": "/on" } }"#
        )
        #expect(outcome.output == "")
        #expect(
            outcome.errorLines == [
                #"plugins.json:1:105: warning: /plugins/1/gate/state: "state" has nothing at /on, so the gate stays closed until host/state/merge puts true there; add it to "state""#,
                #"plugins.test.json:2:27: /cases/0/send/0: expected only the members type, payload, error and meta, found "typ"; did you mean "type"?"#,
                #"plugins.test.json:2:41: /cases/0/send/1: expected an action such as {"type":"orders/placed"}, found an integer"#,
                #"plugins.test.json:3:38: /cases/1/start/gates/timd: expected the id of an instance, found "timd"; did you mean "timed"?"#,
                #"plugins.test.json:3:56: /cases/1/start/gates/follower: the gate of follower follows the state at /on; set that in "state" instead"#,
                #"plugins.test.json:4:16: /cases/1/effects/nobody: expected the id of an instance, found "nobody"; the instances are timed, follower"#,
                #"plugins.test.json:4:69: /cases/1/gates/x: expected the id of an instance, found "x"; the instances are timed, follower"#,
            ])
        #expect(outcome.exitCode == 78)
    }

    @Test func `lines that the configuration wraps are sent as they come in`() throws {
        let scene = try Scene(
            #"{ "ingress": { "wrap": { "typeAt": "/event" } }, "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        try scene.folder.write(
            #"{ "cases": [{ "name": "wrapped", "send": { "event": "counter/increment", "by": 4 }, "state": { "/counter/count": 4 } }] }"#,
            to: "plugins.test.json")
        #expect(try scene.call("test").output == "pass  wrapped\n")
        try scene.folder.write(
            #"{ "cases": [{ "name": "wrapped", "send": [{ "evnt": "x" }], "expect": [] }] }"#,
            to: "plugins.test.json")
        #expect(
            try scene.call("test").errors
                == "plugins.test.json:1:43: /cases/0/send/0: expected the action's type as a string at \"/event\", found nothing there; the type of each line is read there, as \"typeAt\" or --wrap-at says\n"
        )
    }

    @Test func `several files are told apart, and another configuration can be tried with the same cases`()
        throws
    {
        let scene = try Scene.counter()
        let cases = #"{ "cases": [{ "name": "from 0", "state": { "/counter/count": 0 } }] }"#
        try scene.folder.write(cases, to: "plugins.test.json")
        try scene.folder.write(cases, to: "next.test.json")
        try scene.folder.write(
            #"{ "plugins": [{ "id": "counter", "settings": { "start": 5 } }] }"#, to: "next.json")
        let outcome = try scene.call("test", "plugins.test.json", "next.test.json")
        #expect(
            outcome.output == """
                plugins.test.json
                pass  from 0
                next.test.json
                fail  from 0
                      next.test.json:1:33: /cases/0/state: expected another state
                        - /counter/count 0
                        + /counter/count 5

                """)
        #expect(outcome.exitCode == 65)
        #expect(try scene.call("test", "--config", "plugins.json", "next.test.json").exitCode == 0)
        #expect(try scene.call("test", "--config", "next.json").output.hasPrefix("fail  from 0\n"))
    }

    @Test func `everything that keeps cases from running is told of all files at once`() throws {
        let scene = try Scene(#"{ "plugins": [{ "id": "nowhere" }] }"#)
        try scene.folder.write(#"{ "cases": [{ "name": "a" }] }"#, to: "plugins.test.json")
        let outcome = try scene.call("test", "plugins.test.json", "missing.test.json")
        #expect(
            outcome.errorLines == [
                #"plugins.test.json:1:13: /cases/0: the case expects nothing; add "expect", "state", "gates" or "reports""#,
                #"plugins.json:1:23: /plugins/0/id: no library in ./plugins declares the plugin id "nowhere"; put the library there, or name its file with "library""#,
                "gatehouse: missing.test.json: No such file or directory; name the cases, as in gatehouse test plugins.test.json",
            ])
        #expect(outcome.exitCode == 78)
    }

    @Test func `for programs there is one object`() throws {
        let outcome = try run(
            """
            { "name": "right", "effects": "stubbed", "send": { "type": "timed/ask" }, "expect": [] },
            { "name": "wrong", "expect": ["timed/tick"] }
            """, #"{ "id": "timed" }"#, ["--json"])
        #expect(
            try JSONText.parse(outcome.output) == [
                "files": [
                    [
                        "file": "plugins.test.json", "config": "plugins.json",
                        "cases": [
                            [
                                "name": "right", "line": 2, "passed": true, "stubbedEffects": 1,
                                "failures": [], "log": [],
                            ],
                            [
                                "name": "wrong", "line": 3, "passed": false, "stubbedEffects": 0,
                                "failures": [
                                    [
                                        "line": 3, "column": 20, "pointer": "/cases/1/expect",
                                        "message": "expected more actions", "missing": ["timed/tick …"],
                                        "unexpected": [],
                                    ]
                                ], "log": [],
                            ],
                        ],
                    ]
                ], "passed": 1, "failed": 1,
            ])
        #expect(outcome.exitCode == 65)
    }

    @Test func `the operator's state file, sockets and data stay as they are`() throws {
        let scene = try Scene(
            """
            { "stateFile": "state.json", "control": true, "ingress": { "listen": ["unix:in.sock"] },
              "plugins": [{ "id": "counter" }, { "id": "persistence" }] }
            """, libraries: ["CounterPlugin", "PersistencePlugin"])
        try scene.folder.write("{}", to: "state.json")
        try scene.folder.write(
            """
            { "cases": [{ "name": "a",
              "send": [{ "type": "counter/increment" }, { "type": "persistence/save", "payload": { "collection": "c", "id": "a", "value": 1 } }],
              "expect": ["persistence/saved"], "state": { "/counter/count": 1 } }] }
            """, to: "plugins.test.json")
        let outcome = try scene.call("test")
        #expect(outcome.output == "pass  a\n")
        #expect(
            Set(FileSystem.names(in: scene.folder.path)) == [
                "cache", "plugins", "plugins.json", "plugins.test.json", "state.json",
            ])
    }

    @Test func `a plugin that ends the process is named with the case`() throws {
        let outcome = try run(
            #"{ "name": "exits", "send": { "type": "ending/exit", "payload": { "status": 3 } }, "expect": [] }"#,
            #"{ "id": "ending" }"#,
            libraries: ["EndingPlugin"])
        #expect(outcome.errorLines.last == #"gatehouse: plugins.test.json: the case "exits" was running"#)
        #expect(outcome.exitCode == 70)
    }
}
