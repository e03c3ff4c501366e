// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Runs with more than one file or pipe.
@Suite(.timeLimit(.minutes(10))) struct SeveralInputsTests {
    @Test func `several files are read to their ends, each with its own line numbers`() throws {
        let scene = try Scene.counter()
        let lines = String(repeating: #"{"type":"counter/increment"}"# + "\n", count: 3_000)
        try scene.folder.write(lines + "x\n", to: "a.ndjson")
        try scene.folder.write("y\n" + lines, to: "b.ndjson")
        let outcome = try scene.run(["--input", "a.ndjson", "--input", "b.ndjson"])
        #expect(outcome.output.contains("\"count\": 6000"))
        #expect(
            outcome.errorLines.sorted() == [
                "a.ndjson:3001:1: expected a value, found x; bare words are true, false and null",
                "b.ndjson:1:1: expected a value, found y; bare words are true, false and null",
                "gatehouse: 6002 lines, 6000 actions, 2 rejected",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `a file, a pipe and standard input are read while they come`() throws {
        let scene = try Scene.counter()
        try scene.folder.write(#"{"type":"a"}"#, to: "a.ndjson")
        _ = try ChildProcess.run("/usr/bin/mkfifo", arguments: ["feed"], in: scene.folder.path)
        let child = try scene.start(
            ["--input", "a.ndjson", "--input", "feed", "--input", "-", "--print", "actions"])
        try child.waitForOutput("{\"type\":\"a\"}\n")
        child.write("{\"type\":\"b\"}\n")
        try child.waitForOutput("{\"type\":\"b\"}\n")
        try FileSystem.write(Array("{\"type\":\"c\"}\n".utf8), to: scene.folder("feed"))
        try child.waitForOutput("{\"type\":\"c\"}\n")
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.errorLines.last?.hasPrefix("gatehouse: 3 lines, 3 actions, 0 rejected") == true)
        #expect(outcome.exitCode == 0)
    }

    @Test func `one of several inputs that cannot be opened is named, and nothing is run`() throws {
        let scene = try Scene.counter()
        try scene.folder.write(#"{"type":"a"}"#, to: "a.ndjson")
        let outcome = try scene.run(["--input", "a.ndjson", "--input", "b.ndjson"])
        #expect(
            outcome.errors == "gatehouse: b.ndjson: No such file or directory; name the input with --input\n")
        #expect(outcome.exitCode == 64)
    }

    @Test func `strictness and the limit of rejected lines hold for all inputs together`() throws {
        let scene = try Scene.counter()
        try scene.folder.write("x\n{\"type\":\"a\"}\n", to: "a.ndjson")
        try scene.folder.write("y\n{\"type\":\"a\"}\n", to: "b.ndjson")
        let files = ["--print", "none", "--input", "a.ndjson", "--input", "b.ndjson"]
        let strict = try scene.run(files + ["--strict"])
        #expect(
            strict.errorLines.last
                == "gatehouse: 1 line, 0 actions, 1 rejected, stopped at bad data (--strict)")
        #expect(strict.exitCode == 65)
        let limited = try scene.run(files + ["--max-rejected", "1"])
        #expect(
            limited.errorLines.contains(
                "gatehouse: stopped with 2 of 3 lines rejected or refused, --max-rejected allows 1"))
        #expect(limited.exitCode == 65)
        #expect(try scene.run(files + ["--max-rejected", "2"]).exitCode == 0)
    }
}
