// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What an author sees of a plugin while it runs in the program.
@Suite(.timeLimit(.minutes(10))) struct DebuggingTests {
    private func scene() throws -> Scene {
        try Scene(#"{ "plugins": [{ "id": "ending" }] }"#, libraries: ["EndingPlugin"])
    }

    /// The line of the fixture's source on which a text stands.
    private func line(of text: String) throws -> Int {
        let path = #filePath.replacing(
            "CLITests/DebuggingTests.swift", with: "Fixtures/Ending/EndingPlugin.swift")
        let lines = String(decoding: try FileSystem.read(path), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }) + 1
    }

    @Test func `the backtrace of a trap names the plugin's function, file and line`() throws {
        let scene = try scene()
        let outcome = try ChildProcess.run(
            arguments: ["run", "--print", "none"], input: Array(#"{"type":"ending/trap"}"#.utf8),
            in: scene.folder.path,
            environment: scene.environment.merging(["SWIFT_BACKTRACE": "enable=yes"]) { $1 })
        let place = "Fixtures/Ending/EndingPlugin.swift:\(try line(of: "fatalError("))"
        let frame = outcome.errorLines.first {
            $0.contains(place) && $0.contains(" in libEndingPlugin.so at ")
        }
        #expect(frame?.contains("static Ending.answer") == true, "\(outcome.errors)")
        #expect(outcome.exitCode == nil)
    }

    /// Whether a program runs here.
    private static func isHere(_ debugger: String) -> Bool {
        (try? ChildProcess.run("/usr/bin/env", arguments: [debugger, "--version"]))?.exitCode == 0
    }

    /// Runs the program in a debugger, with one action that reaches a line of the plugin.
    private func debug(_ words: (Int) -> [String]) throws -> String {
        let scene = try scene()
        try scene.folder.write(#"{"type":"ending/print","payload":{"text":"hello"}}"#, to: "input")
        let line = try line(of: "print(text, terminator:")
        let child = try ChildProcess(
            "/usr/bin/env", words(line), in: scene.folder.path, environment: scene.environment,
            keeping: scene.folder)
        child.closeInput()
        return try child.finish().output
    }

    @Test(.enabled(if: isHere("lldb"), "there is no lldb that runs"))
    func `a breakpoint in a plugin resolves in lldb when the plugin is loaded`() throws {
        let output = try debug { line in
            [
                "lldb", "--batch", "--no-lldbinit",
                "-o", "breakpoint set --file EndingPlugin.swift --line \(line)",
                "-o", "process launch -- run --input input --print none", "-o", "breakpoint list",
                "-o", "kill", BuiltProducts.program,
            ]
        }
        #expect(output.contains("EndingPlugin.swift:\(try line(of: "print(text, terminator:"))"), "\(output)")
        #expect(output.contains("resolved = 1, hit count = 1"), "\(output)")
    }

    @Test(.enabled(if: isHere("gdb"), "there is no gdb that runs"))
    func `a breakpoint in a plugin is hit in gdb`() throws {
        let output = try debug { line in
            [
                "gdb", "--batch", "-nx", "-ex", "set breakpoint pending on",
                "-ex", "break EndingPlugin.swift:\(line)",
                "-ex", "run run --input input --print none", "-ex", "kill", BuiltProducts.program,
            ]
        }
        #expect(output.contains("hit Breakpoint 1, "), "\(output)")
        #expect(
            output.contains("Ending/EndingPlugin.swift:\(try line(of: "print(text, terminator:"))"),
            "\(output)")
    }
}
