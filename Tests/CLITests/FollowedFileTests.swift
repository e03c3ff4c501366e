// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Files that others write to while they are read.
@Suite(.timeLimit(.minutes(10))) struct FollowedFileTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"
    /// Comes back with a rejection once what stands before it has been read.
    private let mark = "mark\n"

    /// A counter that follows `log.ndjson`.
    private func scene() throws -> Scene { try Scene.counter(#""ingress": { "tail": "log.ndjson" }, "#) }

    /// A run that follows the file.
    private func started(_ scene: Scene) throws -> ChildProcess {
        let child = try scene.start()
        try child.waitForErrors("gatehouse: following log.ndjson\n")
        return child
    }

    /// Writes to the end of the file, which is made if there is none.
    private func append(_ text: String, to name: String = "log.ndjson", of scene: Scene) throws {
        try FileSystem.append(text, to: scene.folder(name))
    }

    /// Ends a run and gives what it counted.
    private func end(_ child: ChildProcess) throws -> ChildProcess.Outcome {
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)
        return outcome
    }

    @Test func `a file that is not there yet is waited for, and half a line waits for its rest`() throws {
        let scene = try scene()
        let child = try started(scene)
        try append(increment + #"{"type":"counter/"#, of: scene)
        try append("increment\"}\n" + mark, of: scene)
        try child.waitForErrors("log.ndjson:3:1: ")
        #expect(try end(child).output.contains("\"count\": 2"))
    }

    @Test func `lines before the one that ends a strict run are not read again`() throws {
        let scene = try Scene.counter(
            #""state": {}, "journal": {}, "ingress": { "tail": "log.ndjson" }, "#)
        try append(increment + increment + mark, of: scene)
        let first = try scene.start(["--strict"])
        #expect(try first.finish().exitCode != 0)
        let next = try started(scene)
        try append(increment + mark, of: scene)
        try next.waitForErrors("log.ndjson:5:1: ")
        #expect(try end(next).output.contains("\"count\": 3"))
    }

    @Test func `when the file is renamed and made anew, the rest of the old one comes first`() throws {
        let scene = try scene()
        try append(increment + mark, of: scene)
        let child = try started(scene)
        try child.waitForErrors("log.ndjson:2:1: ")
        try append(increment + mark, of: scene)
        #expect(unsafe rename(scene.folder("log.ndjson"), scene.folder("log.1")) == 0)
        try append(increment, of: scene)
        try append("mark\nmark\n", of: scene)
        try child.waitForErrors("log.ndjson:3:1: ")
        let outcome = try end(child)
        #expect(outcome.output.contains("\"count\": 3"))
        #expect(
            outcome.errorLines.filter { $0.contains("found mark") }.map { $0.prefix(15) } == [
                "log.ndjson:2:1:", "log.ndjson:4:1:", "log.ndjson:2:1:", "log.ndjson:3:1:",
            ])
    }

    @Test func `a file that becomes shorter is read anew`() throws {
        let scene = try scene()
        try append(increment + increment + mark + "half", of: scene)
        let child = try started(scene)
        try child.waitForErrors("log.ndjson:3:1: ")
        #expect(unsafe truncate(scene.folder("log.ndjson"), 0) == 0)
        try child.waitForErrors(
            "log.ndjson:4:1: its writer left before this line was complete; its 4 bytes so far are discarded\n"
        )
        try append(increment + mark, of: scene)
        try child.waitForErrors("log.ndjson:2:1: ")
        #expect(try end(child).output.contains("\"count\": 3"))
    }

    @Test func `the next run goes on where the last one ended, also in a file that was renamed`() throws {
        let scene = try scene()
        try append(increment + mark + "{\"ty", of: scene)
        let first = try started(scene)
        try first.waitForErrors("log.ndjson:2:1: ")
        #expect(try end(first).output.contains("\"count\": 1"))
        try append("pe\":\"counter/increment\"}\n", of: scene)
        #expect(unsafe rename(scene.folder("log.ndjson"), scene.folder("log.1")) == 0)
        try append(increment + mark, of: scene)
        let second = try started(scene)
        try second.waitForErrors("log.ndjson:2:1: ")
        let outcome = try end(second)
        #expect(outcome.output.contains("\"count\": 2"))
        #expect(
            outcome.errorLines.last
                == "gatehouse: 3 lines, 2 actions, 1 rejected, ended early by signal 15")
    }

    @Test func `after a crash no line is left out`() throws {
        let scene = try scene()
        try append(increment + mark, of: scene)
        let first = try started(scene)
        try first.waitForErrors("log.ndjson:2:1: ")
        first.signal(SIGKILL)
        _ = try first.finish()
        try append(increment + mark, of: scene)
        let second = try started(scene)
        try second.waitForErrors("log.ndjson:4:1: ")
        let outcome = try end(second)
        #expect(outcome.output.contains("\"count\": 1") || outcome.output.contains("\"count\": 2"))
    }

    @Test func `a place that cannot be kept is told once, and the run goes on`() throws {
        let scene = try scene()
        try scene.folder.write("", to: "data")
        try append(increment + mark, of: scene)
        let child = try started(scene)
        try child.waitForErrors("the next run may read lines again\n")
        try append(increment + mark, of: scene)
        try child.waitForErrors("log.ndjson:4:1: ")
        let outcome = try end(child)
        #expect(outcome.output.contains("\"count\": 2"))
        let told = outcome.errorLines.filter { $0.contains("cannot be saved in") }
        #expect(told.count == 1)
        #expect(
            told.first?.hasPrefix("log.ndjson: its read position cannot be saved in ./data/host/tail-")
                == true)
        #expect(told.first?.hasSuffix(": Not a directory; the next run may read lines again") == true)
    }

    @Test func `a file whose folder is not there is told`() throws {
        let outcome = try Scene.counter().run(["--tail", "no/log", "--no-control"])
        #expect(
            outcome.errors
                == "gatehouse: no/log: its folder cannot be watched: No such file or directory; name a file in an existing folder\n"
        )
        #expect(outcome.exitCode == 64)
    }

    @Test(arguments: [
        ("7", "/ingress/tail: expected an array of strings, found 7; write [\"…\"]"),
        (
            #"["a", ""]"#,
            #"/ingress/tail/1: expected a name, found ""; write the name or remove the place for it"#
        ),
        (#""a/""#, #"/ingress/tail: expected the path of a file, found "a/"; add its name"#),
    ])
    func `check tells what is wrong with a path`(tail: String, sentence: String) throws {
        let outcome = try Scene.counter(#""ingress": { "tail": \#(tail) }, "#).call("check")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }
}
