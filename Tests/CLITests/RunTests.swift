// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Whole runs: what is printed, in which order, and how they end.
@Suite(.timeLimit(.minutes(10))) struct RunTests {
    private let ping = #"{"type":"probe/ping","payload":{"number":1}}"#

    private func probe() throws -> Scene {
        try Scene(#"{ "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"])
    }

    @Test func `the state is printed as JSON when the input has ended`() throws {
        let outcome = try probe().run(["--print", "state"], input: ping + "\n")
        #expect(outcome.output == "{\n  \"probe\": {\n    \"heard\": 1\n  }\n}\n")
        #expect(outcome.exitCode == 0)
    }

    @Test
    func
        `actions are printed as they are processed, outputs between the input that caused them and the next`()
        throws
    {
        let outcome = try probe().run(
            ["--print", "actions"],
            input: ping + "\n" + #"{"type":"other","payload":[1.50,"é"],"error":true,"meta":{"a":1}}"# + "\n"
                + ping)
        #expect(
            outcome.output == """
                {"type":"probe/ping","payload":{"number":1}}
                {"type":"probe/pong","payload":{"number":1}}
                {"type":"other","payload":[1.5,"é"],"error":true,"meta":{"a":1}}
                {"type":"probe/ping","payload":{"number":1}}
                {"type":"probe/pong","payload":{"number":1}}

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `of repeated names in a printed action the last value stands at the first place`() throws {
        let outcome = try probe().run(
            ["--print", "actions"],
            input: #"{"meta":{"a":1,"a":"\u0001"},"payload":[{"x":1,"y":{"z":1,"z":-0.0},"x":1e400}],"#
                + #""type":"a/b"}"#)
        #expect(
            outcome.output
                == #"{"type":"a/b","payload":[{"x":1e400,"y":{"z":-0.0}}],"meta":{"a":"\u0001"}}"# + "\n")
    }

    @Test(.enabled(if: Workshop.has("script"), "needs script"))
    func `on a terminal a long run shows its progress on one line, and removes it at the end`() throws {
        let scene = try probe()
        let command =
            "until [ -e enough ]; do echo '\(ping)'; done | \(BuiltProducts.program) run --print none"
        let terminal = try ChildProcess(
            "/usr/bin/script", ["--quiet", "--command", command, "/dev/null"], in: scene.folder.path,
            environment: scene.environment, keeping: scene.folder)
        _ = try terminal.waitForOutput { $0.contains(" a second") }
        try scene.folder.write("", to: "enough")
        let lines = try terminal.finish().output.replacing("\r\n", with: "").split(separator: "\r\u{1B}[K")
        let progress = try #require(lines.dropLast().last)
        #expect(progress.wholeMatch(of: /gatehouse: [0-9]+ lines, [0-9]+ a second/) != nil, "\(lines)")
        let end = try #require(lines.last)
        #expect(end.wholeMatch(of: /gatehouse: [0-9]+ lines, [0-9]+ actions, 0 rejected/) != nil, "\(lines)")
    }

    @Test func `nothing is printed with none`() throws {
        let outcome = try probe().run(["--print", "none"], input: ping)
        #expect(outcome.output == "")
        #expect(outcome.errors == "gatehouse: 1 line, 2 actions, 0 rejected\n")
    }

    @Test func `outputs of a chain come last instance first, as the onion has it`() throws {
        let scene = try Scene(
            """
            { "plugins": [
              { "id": "a", "library": "libProbePlugin.so", "lift": { "input": "shared/" } },
              { "id": "b", "library": "libProbePlugin.so", "lift": { "input": "shared/" } },
              { "id": "c", "library": "libProbePlugin.so", "lift": { "input": "shared/" } } ] }
            """, libraries: ["ProbePlugin"])
        let outcome = try scene.run(
            ["--print", "actions"], input: #"{"type":"shared/ping","payload":{"number":1}}"#)
        #expect(
            outcome.output == """
                {"type":"shared/ping","payload":{"number":1}}
                {"type":"c/pong","payload":{"number":1}}
                {"type":"b/pong","payload":{"number":1}}
                {"type":"a/pong","payload":{"number":1}}

                """)
    }

    @Test func `printed actions are input again`() throws {
        let first = try probe().run(["--print", "actions"], input: ping)
        let again = try Scene.counter().run(["--print", "actions", "--strict"], input: first.output)
        #expect(again.output == first.output)
        #expect(again.exitCode == 0)
    }

    @Test(arguments: [2, 15] as [Int32])
    func `a signal while the input is open finishes cleanly and prints the state`(signal: Int32) throws {
        let child = try probe().start()
        child.write(ping + "\nnot JSON\n")
        // The report tells that the program has read both lines and is waiting for more.
        try child.waitForErrors("standard input:2:1: ")
        child.signal(signal)
        let outcome = try child.finish()
        #expect(outcome.output == "{\n  \"probe\": {\n    \"heard\": 1\n  }\n}\n")
        #expect(
            outcome.errorLines.last
                == "gatehouse: 2 lines, 2 actions, 1 rejected, ended early by signal \(signal)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a signal ends a run that waits for an effect`() throws {
        let child = try probe().start()
        child.write("{\"type\":\"probe/hold\"}\nnot JSON\n")
        child.closeInput()
        try child.waitForErrors("standard input:2:1: ")
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last == "gatehouse: 2 lines, 1 action, 1 rejected, ended early by signal 15")
        #expect(outcome.exitCode == 0)
    }

    @Test func `actions are printed while the input is still open`() throws {
        let child = try probe().start(["--print", "actions"])
        child.write(ping + "\n")
        try child.waitForOutput(#"{"type":"probe/pong","payload":{"number":1}}"# + "\n")
        child.write(#"{"type":"probe/later","payload":{"text":"hi"}}"# + "\n")
        try child.waitForOutput(#"{"type":"probe/echoed","payload":{"text":"hi"}}"# + "\n")
        child.closeInput()
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `a reader that closes the output early ends the run, which says so`() throws {
        let child = try probe().start(["--print", "actions"])
        child.write(ping + "\n")
        try child.waitForOutput("probe/pong")
        child.closeOutput()
        child.write(String(repeating: ping + "\n", count: 2_000))
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last
                == "gatehouse: standard output: its reader has gone away; the run ended early")
        #expect(outcome.exitCode == 70)
    }

    @Test func `paths start at the configuration's folder, not at the current one`() throws {
        let scene = try Scene.counter()
        let outcome = try ChildProcess.run(
            arguments: ["run", "--config", scene.folder("plugins.json")],
            input: Array(#"{"type":"counter/increment"}"#.utf8),
            in: "/")
        #expect(outcome.output.contains("\"count\": 1"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `a gate that follows a state which cannot be written stays where it is, and says so once`()
        throws
    {
        let scene = try Scene(
            """
            { "plugins": [ { "id": "probe" },
              { "id": "counter", "lift": { "input": "" }, "gate": { "state": "/probe/heard" } } ] }
            """, libraries: ["ProbePlugin", "CounterPlugin"])
        let outcome = try scene.run(
            ["--print", "none"], input: #"{"type":"probe/spoil"}"# + "\n" + #"{"type":"increment"}"# + "\n")
        #expect(
            outcome.errors == """
                counter: its gate follows the state at /probe/heard, which cannot be written as JSON: /ratio: expected a finite number, found nan; the gate stays as it is
                gatehouse: 2 lines, 2 actions, 0 rejected, 1 refused or not decodable

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `closing a gate in the configuration stops exactly that instance`() throws {
        let scene = try Scene(
            """
            { "plugins": [
              { "id": "a", "library": "libCounterPlugin.so", "lift": { "input": "n/" }, "gate": "bypass" },
              { "id": "b", "library": "libCounterPlugin.so", "lift": { "input": "n/" } } ] }
            """, libraries: ["CounterPlugin"])
        let outcome = try scene.run(input: #"{"type":"n/increment"}"#)
        #expect(
            outcome.output == """
                {
                  "a": {
                    "count": 0
                  },
                  "b": {
                    "count": 1
                  }
                }

                """)
    }
}
