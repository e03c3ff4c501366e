// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

/// `gatehouse test` with the instances in workers.
@Suite(.timeLimit(.minutes(10))) struct WorkerCasesTests {
    /// What comes of cases of these plugins.
    ///
    /// - Parameter limit: in seconds; what a busy machine never takes, where nothing is to hang.
    private func run(
        _ cases: String, _ plugins: String, libraries: [String], placement: String = "worker",
        limit: String = "600", _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> ChildProcess.Outcome {
        let scene = try Scene(
            "{ \"discovery\": \"ignore\", \"plugins\": [\(plugins)] }", libraries: libraries)
        try scene.folder.write("{ \"cases\": [\n\(cases)\n] }", to: "plugins.test.json")
        return try ChildProcess.run(
            arguments: ["test", "--placement", placement, "--limit", limit] + arguments,
            in: scene.folder.path,
            environment: scene.environment.merging(environment) { $1 })
    }

    @Test(arguments: ["host", "worker"])
    func `the same cases pass in the host and in workers`(placement: String) throws {
        let cases = """
            { "name": "answers and effects", "start": { "state": { "probe": { "heard": 10 } } }, "steps": [
              { "send": { "type": "probe/ping", "payload": { "number": 1 } },
                "expect": [{ "type": "probe/pong", "payload": { "number": 1 } }], "state": { "/probe/heard": 11 } },
              { "send": { "type": "probe/later", "payload": { "text": "hi" } },
                "expect": ["probe/echoed"], "state": { "/probe": { "heard": 13, "echo": "hi" } } } ] },
            { "name": "reports", "send": { "type": "probe/ping", "payload": "none" }, "expect": [],
              "reports": ["expected an object, found"] },
            { "name": "a gate", "start": { "gates": { "us": "bypass" } },
              "send": [{ "type": "eu/increment" }, { "type": "us/increment" }],
              "state": { "/eu/count": 1, "/us/count": 0 } }
            """
        let plugins = """
            { "id": "probe" }, { "id": "eu", "library": "libCounterPlugin.so" },
            { "id": "us", "library": "libCounterPlugin.so",
              "gate": { "control": { "type": "on" }, "default": "active" } }
            """
        let outcome = try run(
            cases, plugins, libraries: ["ProbePlugin", "CounterPlugin"], placement: placement)
        #expect(outcome.output == "pass  answers and effects\npass  reports\npass  a gate\n")
        #expect(outcome.errors == "gatehouse: 3 cases passed\n")
        #expect(outcome.exitCode == 0)
        let report = try JSONText.parse(
            try run(
                cases, plugins, libraries: ["ProbePlugin", "CounterPlugin"], placement: placement, ["--json"]
            ).output)
        let workers = report["files"]?[0]?["cases"]?.arrayValue?.map { $0["workers"] }
        let all: Value? = placement == "host" ? nil : ["probe", "eu", "us"]
        #expect(workers == [all, all, all])
    }

    @Test func `what cannot run in a worker stays in the host, and is told`() throws {
        let cases = """
            { "name": "real", "send": { "type": "timed/ask" }, "expect": ["timed/answered"] },
            { "name": "moved", "send": { "type": "timed/remind", "payload": { "id": "a", "after": 5 } },
              "advance": "5s", "expect": ["timed/due"] },
            { "name": "set", "start": { "clock": 1000 }, "send": { "type": "timed/date" },
              "expect": [{ "type": "timed/dated", "payload": 1000 }] },
            { "name": "stubbed", "effects": { "timed": "stubbed" }, "send": { "type": "timed/ask" }, "expect": [] }
            """
        let plugins = """
            { "id": "timed" }, { "id": "counter" }, { "id": "interceptor" }, { "id": "asking", "library": "libCounterPlugin.so",
              "lift": { "dependencies": ["state"] } }, { "id": "gated", "library": "libCounterPlugin.so",
              "gate": { "state": "/counter/count" } }
            """
        let libraries = ["TimedPlugin", "CounterPlugin", "InterceptorPlugin"]
        let outcome = try run(cases, plugins, libraries: libraries)
        #expect(
            outcome.output == """
                pass  real
                pass  moved (in the host, it sets the clock)
                pass  set (in the host, it sets the clock)
                pass  stubbed (1 effect not run; timed in the host, effects are stubbed)

                """)
        #expect(
            outcome.errorLines == [
                "gatehouse: counter stays in the host: the gate of gated follows its state",
                "gatehouse: interceptor stays in the host: the plugin interceptor decides about actions before anybody else hears them, and they cannot wait for another process",
                #"gatehouse: asking stays in the host: the dependency "state" leads into the host, which a worker cannot reach"#,
                "gatehouse: 4 cases passed",
            ])
        #expect(outcome.exitCode == 0)
        let report = try JSONText.parse(try run(cases, plugins, libraries: libraries, ["--json"]).output)
        let workers = report["files"]?[0]?["cases"]?.arrayValue?.map { $0["workers"] }
        #expect(workers == [["timed", "gated"], [], [], ["gated"]])
    }

    @Test func `a case in which a worker dies fails, and the next one runs`() throws {
        let outcome = try run(
            """
            { "name": "dies", "send": { "type": "doomed/act", "payload": { "place": "handle", "deed": "exit" } }, "expect": [] },
            { "name": "lives", "send": { "type": "doomed/pass" }, "expect": ["doomed/passed"] }
            """, #"{ "id": "doomed" }"#, libraries: ["DoomedPlugin"])
        #expect(
            outcome.output == """
                fail  dies
                      plugins.test.json:2:1: /cases/0: expected no reports of the host, found some; list a part of each in "reports"
                        + doomed: its worker called exit(0) at action 1, doomed/act, and another one goes on from its last checkpoint
                        + doomed: its worker called exit(0) at action 1, doomed/act, and another one goes on from its last checkpoint
                        + doomed: action 1, doomed/act, has ended 2 workers and is left out
                pass  lives

                """)
        #expect(outcome.exitCode == 65)
    }

    @Test func `what a plugin writes to standard error in a worker fails no case`() throws {
        let outcome = try run(
            #"{ "name": "talks", "send": { "type": "defective/act", "payload": { "amount": 1, "label": "x" } }, "expect": ["defective/done"] }"#,
            #"{ "id": "defective" }"#, libraries: ["DefectivePlugin"],
            environment: ["DEFECT": "start/warn"])
        #expect(outcome.output == "pass  talks\n")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }

    @Test func `an effect that sleeps in a worker is told with what to do`() throws {
        let outcome = try run(
            #"{ "name": "stays", "send": { "type": "timed/stay" }, "expect": [] }"#, #"{ "id": "timed" }"#,
            libraries: ["TimedPlugin"], limit: "0.2")
        #expect(outcome.output.hasPrefix("fail  stays\n"), "\(outcome.output)")
        #expect(
            outcome.output.hasSuffix(
                "; in a worker they sleep in real time, so stub them in \"effects\", or allow more time with --limit\n"
            ), "\(outcome.output)")
        #expect(outcome.exitCode == 65)
    }
}
