// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// A system that grants less than usual: it is told, and nothing dies without a word.
@Suite(.timeLimit(.minutes(10))) struct SystemLimitsTests {
    /// Runs the program after some words for a shell, with one line on standard input.
    private func run(_ words: String, _ scene: Scene) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            "/bin/sh", arguments: ["-c", #"\#(words); exec "$0" run"#, BuiltProducts.program],
            input: Array(#"{"type":"counter/increment"}"#.utf8), in: scene.folder.path)
    }

    @Test func `too few open files are told before anything waits for one`() throws {
        let outcome = try run("ulimit -n 8", Scene.counter())
        #expect(
            outcome.errors
                == "gatehouse: a run needs to open 32 files beside its libraries, and the limit is too low; raise the limit with ulimit -n\n"
        )
        #expect(outcome.exitCode == 70)
    }

    @Test func `a folder full of libraries keeps none that is named from running`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "library": "libzzz.so" }] }"#, libraries: [])
        try scene.folder.copyLibrary("CounterPlugin", as: "plugins/libzzz.so")
        let probe = try FileSystem.read(BuiltProducts.library("SilentEntry"))
        for index in 0..<150 { try scene.folder.write(probe, to: "plugins/lib\(index).so") }
        for index in 0..<150 {
            try scene.folder.copyLibrary("ProbePlugin", as: "plugins/libvalid\(index).so")
        }
        let outcome = try run("ulimit -n 150", scene)
        #expect(outcome.output.contains(#""count": 1"#), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a limit of file size that standard output exceeds is told and ends with 70`() throws {
        let scene = try Scene(#"{ "state": { "long": "\#(String(repeating: "x", count: 4_096))" } }"#)
        let outcome = try run("ulimit -f 1; exec > result", scene)
        #expect(
            outcome.errorLines == [
                "gatehouse: 1 line, 1 action, 0 rejected, 1 of 1 type unheard: counter/increment",
                "gatehouse: standard output: File too large",
            ])
        #expect(outcome.exitCode == 70)
    }

    @Test func `a limit of file size below that of a library refuses it with the reason`() throws {
        let outcome = try run("ulimit -f 1", Scene("{}", libraries: ["CounterPlugin"]))
        #expect(
            outcome.errorLines == [
                "./plugins: refused: its only library is refused",
                "gatehouse: warning: ./plugins/libCounterPlugin.so: refused: sendfile failed: File too large",
            ])
        #expect(outcome.exitCode == 69)
    }

    /// Whether this user may have a view of the file system without `/proc`.
    private static let canHideProc =
        (try? ChildProcess.run("/bin/sh", arguments: ["-c", hidingProc + "true"]))?.exitCode == 0

    /// Runs what follows without `/proc`.
    private static let hidingProc =
        "unshare --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec \"$0\" \"$@\"' "

    @Test(.enabled(if: canHideProc, "needs user namespaces"))
    func `without proc the arguments are unknown, which is told instead of printing help`() throws {
        let outcome = try ChildProcess.run(
            "/bin/sh",
            arguments: [
                "-c", "LD_LIBRARY_PATH=\"$1\" " + Self.hidingProc + #""$0" run"#, BuiltProducts.program,
                BuiltProducts.folder,
            ])
        #expect(
            outcome.errors == "gatehouse: the arguments cannot be read from /proc/self/cmdline; mount /proc\n"
        )
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 70)
    }
}
