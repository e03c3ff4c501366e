// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Started without the streams that a program expects.
@Suite(.timeLimit(.minutes(10))) struct StandardDescriptorsTests {
    /// Runs the program through a shell that redirects its streams, with one line on standard input.
    private func run(_ redirection: String) throws -> ChildProcess.Outcome {
        let scene = try Scene.counter()
        return try ChildProcess.run(
            "/bin/sh", arguments: ["-c", #"exec "$0" run \#(redirection)"#, BuiltProducts.program],
            input: Array(#"{"type":"counter/increment"}"#.utf8), in: scene.folder.path)
    }

    @Test func `a closed standard input is reported instead of waited for`() throws {
        let outcome = try run("<&-")
        #expect(
            outcome.errorLines.first
                == "gatehouse: standard input: expected more input after line 0, but reading failed with \"Bad file descriptor\" (errno 9); give a readable file, pipe or socket."
        )
        #expect(outcome.exitCode == 64)
    }

    @Test func `a closed standard output is reported as one that cannot be written to`() throws {
        let outcome = try run(">&-")
        #expect(outcome.errorLines.last == "gatehouse: standard output: Bad file descriptor")
        #expect(outcome.exitCode == 70)
    }

    @Test(arguments: ["help", "version"])
    func `words that a full disk does not take end with 70`(command: String) throws {
        let outcome = try ChildProcess.run(
            "/bin/sh", arguments: ["-c", #"exec "$0" "$1" >/dev/full"#, BuiltProducts.program, command])
        #expect(outcome.errors == "gatehouse: standard output: No space left on device\n")
        #expect(outcome.exitCode == 70)
    }

    @Test func `a closed standard error leaves the result as it is`() throws {
        let outcome = try run("2>&-")
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n")
        #expect(outcome.exitCode == 0)
    }
}
