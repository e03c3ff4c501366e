// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Instances that run in a process of their own.
@Suite(.timeLimit(.minutes(10))) struct WorkerRunTests {
    /// A counter in a worker.
    private func counter() throws -> Scene {
        try Scene(
            #"{ "plugins": [{ "id": "counter", "placement": "worker" }] }"#, libraries: ["CounterPlugin"])
    }

    @Test func `a counter in a worker counts`() throws {
        let lines = (1...1_000).map { #"{"type":"counter/increment","payload":{"by":\#($0)}}"# }
        let outcome = try counter().run(["--print", "state"], input: lines.joined(separator: "\n") + "\n")
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 500500\n  }\n}\n", "\(outcome.errors)")
        #expect(outcome.errors == "gatehouse: 1000 lines, 1000 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `the first state is that of the plugin, or the one that the configuration has`() throws {
        #expect(
            try counter().run(["--print", "state"]).output
                == "{\n  \"counter\": {\n    \"count\": 0\n  }\n}\n")
        let scene = try Scene(
            #"{ "state": { "counter": { "count": 7 } }, "plugins": [{ "id": "counter", "placement": "worker" }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.run(["--print", "state"], input: #"{"type":"counter/increment"}"# + "\n")
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 8\n  }\n}\n", "\(outcome.errors)")
    }

    @Test
    func
        `a state that does not fit into the ring at once is taken over without waiting for a look at the worker`()
        throws
    {
        let type = String(repeating: "x", count: 600_000)
        // A look at a worker that says nothing comes after a quarter of this time, and that is later than an answer may.
        let scene = try Scene(
            """
            { "supervise": { "hang": 3600 },
              "state": { "crash-reports": { "reports": [{ "type": "\(type)", "source": { "file": "f", "function": "g", "line": 1 } }], "total": 1 } },
              "plugins": [{ "id": "crash-reports", "placement": "worker" }] }
            """, libraries: ["CrashReportsPlugin"])
        let outcome = try scene.run(["--print", "state"])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(type))
    }

    @Test func `what it emits comes back under its global name`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "probe", "placement": "worker" }] }"#, libraries: ["ProbePlugin"])
        let outcome = try scene.run(
            ["--print", "actions"], input: #"{"type":"probe/ping","payload":{"number":1}}"# + "\n")
        #expect(
            outcome.output == """
                {"type":"probe/ping","payload":{"number":1}}
                {"type":"probe/pong","payload":{"number":1}}

                """, "\(outcome.errors)")
    }

    @Test func `an action that nothing follows reaches its worker, however many came before it`() throws {
        let host = try LiveHost(
            #"{ "plugins": [{ "id": "logger", "placement": "worker" }] }"#, libraries: ["LoggerPlugin"])
        // Half a line is no line: what was read before it waits for nothing.
        host.child.write(#"{"type":"first/lone"}"# + "\n{")
        try host.child.waitForErrors("logger: first/lone")
        host.child.write("}\n")
        for number in 1...5 {
            host.send("lone/\(number)")
            try host.child.waitForErrors("logger: lone/\(number)")
        }
        host.child.write(#"{"type":"two/first"}"# + "\n" + #"{"type":"two/second"}"# + "\n\n")
        try host.child.waitForErrors("logger: two/second")
        #expect(try host.finish().exitCode == 0)
    }

    @Test(arguments: ["host", "worker"])
    func `an action of another instance that no JSON can hold is a misfit, wherever it is heard`(
        placement: String
    ) throws {
        let scene = try Scene(
            """
            { "plugins": [
              { "id": "probe" },
              { "id": "counter", "placement": "\(placement)", "lift": { "input": { "probe/ratio": "increment" } } }] }
            """, libraries: ["ProbePlugin", "CounterPlugin"])
        let outcome = try scene.run(
            ["--print", "state"],
            input: [
                #"{"type":"probe/ratio"}"#, #"{"type":"probe/tilt"}"#, #"{"type":"probe/ratio"}"#, "",
            ].joined(separator: "\n"))
        #expect(outcome.output.contains(#""count": 2"#), "\(outcome.errors)")
        #expect(
            outcome.errorLines.first { $0.contains("counter") }
                == "from probe: probe/ratio for counter: the payload does not fit: /ratio/value: expected a finite number, found nan",
            "\(outcome.errors)")
        #expect(!outcome.errors.contains("worker"), "\(outcome.errors)")
    }

    @Test func `an action that leaves a state which no JSON can hold is set aside`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "probe", "placement": "worker" }] }"#, libraries: ["ProbePlugin"])
        let outcome = try scene.run(
            ["--print", "state"],
            input: [
                #"{"type":"probe/drop"}"#, #"{"type":"probe/spoil"}"#, #"{"type":"probe/drop"}"#, "",
            ].joined(separator: "\n"))
        #expect(outcome.output.contains(#""heard": 2"#), "\(outcome.errors)")
        #expect(outcome.errors.contains("cannot be written as JSON"), "\(outcome.errors)")
        #expect(outcome.errors.contains("probe: action 2, probe/spoil, has ended"), "\(outcome.errors)")
    }

    @Test func `settings that do not fit are refused with their place`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "placement": "worker", "settings": { "start": "x" } }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.run()
        #expect(outcome.exitCode == 78)
        #expect(outcome.errors.contains("plugins.json:1:"), "\(outcome.errors)")
    }

    @Test func `a worker that dies by an effect is followed by another one, and the host goes on`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "foreign-fatal", "placement": "worker" }, { "id": "counter", "placement": "worker" }] }"#,
            libraries: ["ForeignFatal", "CounterPlugin"])
        let outcome = try scene.run(
            ["--print", "state"],
            input: [
                #"{"type":"foreign-fatal/perform","payload":"trap"}"#, #"{"type":"counter/increment"}"#, "",
            ].joined(separator: "\n"))
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.contains(#""count": 1"#), "\(outcome.errors)")
        #expect(outcome.errors.contains("foreign-fatal: its worker died by SIGILL"), "\(outcome.errors)")
    }
}
