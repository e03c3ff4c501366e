// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// How runs end: when asked to, when a plugin ends them, when nobody reads.
@Suite(.timeLimit(.minutes(10))) struct EndingTests {
    private func scene(_ entries: String = #"{ "id": "ending" }"#) throws -> Scene {
        try Scene(#"{ "plugins": [\#(entries)] }"#, libraries: ["EndingPlugin"])
    }

    private func line(_ name: String, _ payload: String? = nil) -> String {
        #"{"type":"ending/\#(name)""# + (payload.map { #","payload":"# + $0 } ?? "") + "}\n"
    }

    /// Comes back with a rejection once what stands before it has been read.
    private let mark = "mark\n"
    private let marked = "expected a value, found mark"

    /// Starts a run that has read some lines and waits for more.
    private func started(_ lines: String, _ arguments: [String] = ["--print", "actions"]) throws
        -> ChildProcess
    {
        let child = try scene().start(arguments)
        child.write(lines + mark)
        try child.waitForErrors(marked)
        return child
    }

    // MARK: - Asked to end

    @Test func `work that finishes is waited for after a signal, and its answer is printed`() throws {
        let child = try started(line("work"))
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.output == """
                {"type":"ending/work"}
                {"type":"ending/farewell"}
                {"type":"ending/worked"}

                """)
        #expect(
            outcome.errorLines.last == "gatehouse: 2 lines, 3 actions, 1 rejected, ended early by signal 15")
        #expect(outcome.exitCode == 0)
    }

    @Test func `the last action of an effect that is cancelled comes before the farewell`() throws {
        let child = try started(line("watch"))
        child.signal(2)
        let outcome = try child.finish()
        #expect(
            outcome.output == """
                {"type":"ending/watch"}
                {"type":"ending/watched"}
                {"type":"ending/farewell"}

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `an input that ends by itself is followed by the farewell too`() throws {
        let outcome = try scene().run(["--print", "actions"], input: line("print", #"{"text":""}"#))
        #expect(outcome.output.hasSuffix(#"{"type":"ending/farewell"}"# + "\n"))
        #expect(outcome.errors == "gatehouse: 1 line, 2 actions, 0 rejected\n")
    }

    @Test func `what does not finish in time is given up, named and counted, with 75`() throws {
        let child = try started(line("stay") + line("stay"), ["--print", "none", "--grace", "0.1"])
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.dropFirst(2) == [
                "gatehouse: waiting at most 0.1 s for 2 effects of ending",
                "gatehouse: 2 effects of ending had not finished after 0.1 s and are given up; allow more time with --grace",
                "gatehouse: 3 lines, 3 actions, 1 rejected, 2 effects of ending given up, ended early by signal 15",
            ])
        #expect(outcome.exitCode == 75)
    }

    @Test func `lines that were read are processed after a signal, half a line is told`() throws {
        let child = try scene().start(["--print", "none"])
        child.write(line("print", #"{"text":"x"}"#) + mark + #"{"type":"#)
        try child.waitForErrors(marked)
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.contains(
                "standard input:3:1: the run ends before this line is complete; its 8 bytes so far are discarded"
            ))
        #expect(outcome.exitCode == 0)
    }

    /// What is said at the first signal.
    private func notice(_ signal: Int32) -> String {
        "gatehouse: signal \(signal): no more input is read; a second signal ends at once\n"
    }

    @Test(arguments: [(2, 15), (15, 2)] as [(Int32, Int32)])
    func `a second signal ends a handler that never comes back`(first: Int32, second: Int32) throws {
        let child = try scene().start(["--print", "actions"])
        child.write(mark + line("watch") + line("loop"))
        try child.waitForOutput(#"{"type":"ending/loop"}"#)
        child.signal(first)
        try child.waitForErrors(notice(first))
        child.signal(second)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last
                == "gatehouse: 3 lines, 2 actions, 1 rejected, ended at once by signal \(second)")
        #expect(outcome.exitCode == 128 + second)
    }

    @Test func `a second signal tells what was only counted`() throws {
        let child = try scene().start(["--print", "actions"])
        child.write(String(repeating: mark, count: 150) + line("loop"))
        try child.waitForOutput(#"{"type":"ending/loop"}"#)
        child.signal(2)
        try child.waitForErrors(notice(2))
        child.signal(15)
        #expect(
            try child.finish().errorLines.suffix(2) == [
                "… and 50 more like it, the last: standard input:150:1: \(marked); bare words are true, false and null",
                "gatehouse: 151 lines, 1 action, 150 rejected, ended at once by signal 15",
            ])
    }

    @Test func `a second signal ends a run whose results nobody reads, and says so`() throws {
        let scene = try scene()
        try scene.folder.write(String(repeating: line("watched"), count: 20_000), to: "input")
        let child = try scene.start(["--print", "actions", "--input", "input"])
        child.narrowOutput()
        try child.waitUntilOutputIsFull()
        child.signal(2)
        try child.waitForErrors(notice(2), reading: false)
        child.signal(15)
        try child.waitForErrors(", printed results lost\n", reading: false)
        #expect(try child.finish().exitCode == 143)
    }

    @Test func `two signals end a run whose words nobody reads`() throws {
        let scene = try scene()
        try scene.folder.write(String(repeating: mark, count: 20_000), to: "input")
        let child = try scene.start(["--print", "none", "--input", "input"])
        child.narrowErrors()
        try child.waitUntilErrorsAreFull()
        child.signal(2)
        try child.waitUntilSignalsAreTaken()
        child.signal(15)
        #expect(try child.finish().exitCode == 143)
    }

    @Test func `a full disk ends the run at the next line`() throws {
        let scene = try scene()
        let outcome = try ChildProcess.run(
            "/bin/sh",
            arguments: [
                "-c", #"yes '{"type":"a/b"}' 2>/dev/null | exec "$0" run --print actions >/dev/full"#,
                BuiltProducts.program,
            ], in: scene.folder.path)
        withExtendedLifetime(scene.folder) {}
        #expect(
            outcome.errorLines.contains(
                "gatehouse: standard output: No space left on device; the run ended early"))
        #expect(outcome.exitCode == 70)
    }

    @Test func `a signal ends a run that waits for somebody to open its input`() throws {
        let scene = try scene()
        // Told when the run begins.
        try scene.folder.write("", to: "plugins/libBroken.so")
        _ = try ChildProcess.run("/usr/bin/mkfifo", arguments: ["feed"], in: scene.folder.path)
        let child = try scene.start(["--input", "feed", "--print", "none"])
        try child.waitForErrors("libBroken.so")
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last == "gatehouse: 0 lines, 1 action, 0 rejected, ended early by signal 15")
        #expect(outcome.exitCode == 0)
    }

    @Test func `SIGHUP ends nothing: it asks for a look at the configuration`() throws {
        let child = try started(line("watched"))
        child.signal(1)
        try child.waitForErrors("gatehouse: nothing has changed, generation 1 runs on\n")
        child.closeInput()
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `SIGQUIT ends at once by itself, without the words of a crash`() throws {
        let child = try scene().start(["--print", "actions"])
        child.write(mark + line("watch"))
        try child.waitForOutput(#"{"type":"ending/watch"}"#)
        child.signal(3)
        let outcome = try child.finish()
        #expect(outcome.output == #"{"type":"ending/watch"}"# + "\n")
        #expect(
            outcome.errorLines.last == "gatehouse: 2 lines, 1 action, 1 rejected, ended at once by signal 3")
        #expect(outcome.exitCode == nil)
    }

    @Test func `results that a reader takes in its own time arrive whole on a pipe that does not block`()
        throws
    {
        let scene = try scene()
        try scene.folder.write(String(repeating: line("watched"), count: 20_000), to: "input")
        let child = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "actions", "--input", "input"], in: scene.folder.path,
            outputBlocks: false)
        child.narrowOutput()
        let outcome = try child.finish()
        #expect(outcome.output.split(separator: "\n").count == 20_001)
        #expect(outcome.exitCode == 0)
    }

    // MARK: - In the background

    @Test func `a timer that never fired is told when the input ends by itself, and the run is a success`()
        throws
    {
        let outcome = try scene(
            #"{ "id": "ending" }, { "id": "b", "library": "libEndingPlugin.so", "lift": { "input": "ending/", "output": "ending/" } }"#
        ).run(["--print", "none"], input: line("tick") + line("tick"))
        let advice =
            "in the background were cut off by the end of the input before emitting anything; keep the run alive with --listen, or an input that stays open"
        #expect(
            outcome.errorLines.filter { $0.hasPrefix("gatehouse: ") } == [
                "gatehouse: 2 effects of ending \(advice)", "gatehouse: 2 effects of b \(advice)",
                "gatehouse: 2 lines, 4 actions, 0 rejected",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `what has emitted something, or does so at the end, is cut off without a word`() throws {
        let outcome = try scene().run(["--print", "none"], input: line("beat") + line("watch"))
        #expect(outcome.errors == "gatehouse: 2 lines, 5 actions, 0 rejected\n")
    }

    @Test func `whoever asks for an end is not told that timers end with it`() throws {
        let child = try started(line("tick"), ["--print", "none"])
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last == "gatehouse: 2 lines, 2 actions, 1 rejected, ended early by signal 15")
        #expect(!outcome.errors.contains("in the background"))
    }

    // MARK: - Ended by a plugin

    @Test func `a trap loses nothing that was printed before`() throws {
        let lines = String(repeating: line("print", #"{"text":""}"#), count: 500)
        let outcome = try scene().run(["--print", "actions"], input: lines + line("trap"))
        #expect(outcome.output.split(separator: "\n").count == 501)
        #expect(outcome.exitCode == nil)
    }

    @Test(arguments: [0, 3])
    func `a plugin that calls exit is named, and is never a success`(status: Int) throws {
        let outcome = try scene().run(
            ["--print", "actions"], input: line("exit", #"{"status":\#(status)}"#) + line("watch"))
        #expect(outcome.output == #"{"type":"ending/exit","payload":{"status":\#(status)}}"# + "\n")
        #expect(
            outcome.errorLines == [
                "gatehouse: ending called exit(\(status)); only the host may end the run, and the remaining input is not processed",
                "gatehouse: 1 line, 1 action, 0 rejected",
            ])
        #expect(outcome.exitCode == 70)
    }

    @Test func `a plugin that ends the thread that reads is named, and is never a success`() throws {
        let outcome = try scene().run(["--print", "none"], input: line("endThread"))
        #expect(
            outcome.errorLines.first
                == "gatehouse: ending ended the thread it was called on; only the host may end the run, and the remaining input is not processed"
        )
        #expect(outcome.exitCode == 70)
    }

    @Test func `an effect that ends the main thread ends the run, and is never a success`() throws {
        let outcome = try scene().run(["--print", "none"], input: line("endMainThread"))
        #expect(
            outcome.errorLines.first
                == "gatehouse: a plugin ended the main thread; only the host may end the run, and the remaining input is not processed"
        )
        #expect(outcome.exitCode == 70)
    }

    @Test func `an effect that keeps the main actor for ever is given up, and the run ends`() throws {
        let child = try started(line("keepMainThread"), ["--print", "none", "--grace", "0.2"])
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last == "gatehouse: 2 lines, 2 actions, 1 rejected, ended early by signal 15")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a plugin that ends another thread while it handles an action is named, and ends the run`()
        throws
    {
        let child = try scene().start(["--print", "none"])
        child.write(line("endOtherThread"))
        let outcome = try child.finish()
        #expect(
            outcome.errorLines == [
                "gatehouse: ending ended the thread it was called on; only the host may end the run, and the remaining input is not processed",
                "gatehouse: 1 line, 2 actions, 0 rejected",
            ])
        #expect(outcome.exitCode == 70)
    }

    @Test func `what a plugin prints goes to standard error line by line, with its name`() throws {
        let outcome = try scene().run(
            ["--print", "actions"], input: line("print", #"{"text":"one\ntwo"}"#))
        #expect(outcome.output.hasPrefix(#"{"type":"ending/print""#))
        #expect(outcome.errorLines.dropLast() == ["ending: one", "ending: two"])
    }

    @Test func `of several plugins nobody is blamed for what one prints`() throws {
        let outcome = try scene(#"{ "id": "ending" }, { "id": "b", "library": "libEndingPlugin.so" }"#)
            .run(["--print", "none"], input: line("print", #"{"text":"one"}"#))
        #expect(outcome.errorLines.first == "a plugin: one")
    }

    @Test func `a plugin's child writes no results, and signals end it as ever`() throws {
        let outcome = try scene().run(["--print", "none"], input: line("child"))
        #expect(outcome.output == "")
        #expect(outcome.errorLines.first == "ending: from a child")
        #expect(!outcome.errors.contains("not reached"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `a forked child that exits prints no result and ends no run`() throws {
        let outcome = try scene().run(["--print", "actions"], input: line("watch") + line("fork"))
        #expect(
            outcome.output == """
                {"type":"ending/watch"}
                {"type":"ending/fork"}
                {"type":"ending/watched"}
                {"type":"ending/farewell"}

                """)
        #expect(outcome.errors == "gatehouse: 2 lines, 4 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }
}
