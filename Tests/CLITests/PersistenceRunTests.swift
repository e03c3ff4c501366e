// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Whole runs with the persistence plugin: what one leaves, the next one finds.
@Suite(.timeLimit(.minutes(10))) struct PersistenceRunTests {
    private func scene(_ members: String = "") throws -> Scene {
        try Scene(
            #"{ "plugins": [{ "id": "docs", "library": "libPersistencePlugin.so"\#(members) }] }"#,
            libraries: ["PersistencePlugin"])
    }

    private func save(_ id: String, _ value: String = "1") -> String {
        #"{"type":"docs/save","payload":{"collection":"c","id":"\#(id)","value":\#(value)}}"#
    }

    private let request = #"{"type":"docs/request","payload":{"collection":"c"}}"#

    /// The line that answers `request` when these are the documents.
    private func received(_ documents: String) -> String {
        #"{"type":"docs/received","payload":{"collection":"c","documents":[\#(documents)]}}"#
    }

    @Test func `a second run sees what the first one saved`() throws {
        let scene = try scene()
        let first = try scene.run(["--print", "none"], input: save("a") + "\n" + save("b", #"{"n":[1.5]}"#))
        #expect(first.errors == "gatehouse: 2 lines, 4 actions, 0 rejected\n")
        let second = try scene.run(["--print", "actions"], input: request)
        #expect(
            second.output == request + "\n"
                + received(#"{"id":"a","value":1},{"id":"b","value":{"n":[1.5]}}"#) + "\n")
        #expect(second.exitCode == 0)
    }

    @Test func `a run waits for what it saves, tells live requests first, and leaves one closed file`() throws
    {
        let scene = try scene()
        let saves = (0..<200).map { save("k\($0)") }
        let outcome = try scene.run(
            ["--print", "actions"], input: ([request] + saves).joined(separator: "\n"))
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix(#"{"type":"docs/changed""#) }.count == 200)
        #expect(lines.filter { $0.hasPrefix(#"{"type":"docs/saved""#) }.count == 200)
        #expect(lines.last?.hasPrefix(#"{"type":"docs/saved""#) == true)
        #expect(try !FileSystem.read(scene.folder("data/docs/documents.sqlite")).isEmpty)
        #expect(throws: SystemFailure.self) {
            try FileSystem.read(scene.folder("data/docs/documents.sqlite-wal"))
        }
    }

    @Test func `what was reported as saved survives SIGKILL`() throws {
        let scene = try scene()
        let child = try scene.start(["--print", "actions"])
        // Waiting for input writes out what was printed.
        child.write(save("a") + "\n")
        try child.waitForOutput(#"{"type":"docs/saved","payload":{"collection":"c","id":"a"}}"#)
        for number in 0..<2000 { child.write(save("k\(number)") + "\n") }
        child.signal(9)
        _ = try child.finish()
        let after = try scene.run(["--print", "actions"], input: request)
        #expect(after.output.contains(#"{"id":"a","value":1}"#))
        #expect(!after.output.contains("docs/failed"))
    }

    @Test func `a signal loses no save that was accepted`() throws {
        let scene = try scene()
        let child = try scene.start(["--print", "none"])
        for number in 0..<5_000 { child.write(save("k\(number)") + "\n") }
        // Told when the last save was accepted.
        child.write("mark\n")
        try child.waitForErrors("found mark")
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last
                == "gatehouse: 5001 lines, 10000 actions, 1 rejected, ended early by signal 15")
        #expect(outcome.exitCode == 0)
        let after = try scene.run(["--print", "actions"], input: request)
        #expect(after.output.contains(#"{"id":"k4999","value":1}"#))
        #expect(after.output.split(separator: #""id":"k"#).count == 5_001)
    }

    @Test func `without the data folder a save fails and the run goes on`() throws {
        let scene = try scene(#", "lift": { "dependencies": ["clock"] }"#)
        let outcome = try scene.run(["--print", "actions"], input: save("a"))
        #expect(outcome.output.contains(#""reason":"noDataFolder""#))
        #expect(
            outcome.errorLines.first
                == #"docs: has not done "save": the instance docs has no folder for its file; grant it "data" in "lift"/"dependencies""#
        )
        #expect(outcome.exitCode == 75)
    }

    @Test func `a plugin that is only there makes no file and changes no state`() throws {
        let scene = try Scene(#"{ "plugins": [] }"#, libraries: ["PersistencePlugin"])
        let outcome = try scene.run(input: #"{"type":"other"}"#)
        #expect(outcome.output == "{}\n")
        #expect(
            outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected, 1 of 1 type unheard: other\n")
        #expect(throws: SystemFailure.self) { try FileSystem.read(scene.folder("data")) }
    }

    @Test func `a gate that closes ends live requests; changes after it opens are made again`() throws {
        let scene = try Scene(
            """
            { "ingress": { "allow": ["*", "host/gate/*"] },
              "plugins": [{ "id": "docs", "library": "libPersistencePlugin.so" }] }
            """, libraries: ["PersistencePlugin"])
        let outcome = try scene.run(
            ["--print", "actions"],
            input: [
                request, #"{"type":"host/gate/close","payload":"docs"}"#, save("lost"),
                #"{"type":"host/gate/open","payload":"docs"}"#, save("a"),
            ].joined(separator: "\n"))
        #expect(!outcome.output.contains("docs/changed"))
        #expect(outcome.output.contains(#"{"type":"docs/saved","payload":{"collection":"c","id":"a"}}"#))
        let after = try scene.run(["--print", "actions"], input: request)
        #expect(after.output == request + "\n" + received(#"{"id":"a","value":1}"#) + "\n")
    }

    @Test func `saves that come faster than the disk takes them wait in the input, not in the memory`() throws
    {
        let scene = try scene()
        let count = 20_000
        let outcome = try scene.run(
            ["--print", "actions"], input: (0..<count).map { save("k\($0)") }.joined(separator: "\n"))
        var (waiting, most, saved) = (0, 0, 0)
        for line in outcome.output.split(separator: "\n") {
            if line.hasPrefix(#"{"type":"docs/saved""#) {
                waiting -= 1
                saved += 1
            } else {
                waiting += 1
                most = max(most, waiting)
            }
        }
        #expect(saved == count)
        // What the host lets run, and the lines it reads before it looks again.
        #expect(most <= 4_096 + 64)
        #expect(outcome.errors == "gatehouse: 20000 lines, 40000 actions, 0 rejected\n")
    }

    @Test func `folder and file are this user's alone, and a link in place of the folder is refused`() throws
    {
        let scene = try scene()
        _ = try scene.run(["--print", "none"], input: save("a"))
        #expect(try FileSystem.mode(of: scene.folder("data/docs")) == 0o700)
        #expect(try FileSystem.mode(of: scene.folder("data/docs/documents.sqlite")) == 0o600)

        let other = try self.scene()
        _ = try other.folder.makeFolder("data")
        try FileSystem.link(other.folder("data/docs"), to: scene.folder("data/docs"))
        let outcome = try other.run(["--print", "none"], input: save("b"))
        #expect(
            outcome.errorLines == [
                #"docs: has not done "save": ./data/docs: expected a folder, found a symbolic link; put a folder in its place"#,
                "gatehouse: 1 line, 2 actions, 0 rejected, 1 failed in docs",
            ])
        #expect(outcome.exitCode == 75)
    }

    /// The file of the instance, made beforehand and held by somebody else until the lock goes.
    private func held(_ scene: Scene) throws -> FileSystem.FileLock {
        _ = try scene.folder.makeFolder("data")
        _ = try scene.folder.makeFolder("data/docs")
        return try FileSystem.lock(scene.folder.write("", to: "data/docs/documents.sqlite"))
    }

    @Test func `input that waits because somebody holds the file says so, and nothing is lost`() throws {
        let scene = try scene(#", "settings": { "busyTimeout": 60000 }"#)
        var lock: FileSystem.FileLock? = try held(scene)
        let child = try scene.start(["--print", "none"])
        child.write((0..<5_000).map { save("k\($0)") + "\n" }.joined())
        child.closeInput()
        try child.waitForErrors("\n")
        lock = nil
        let outcome = try child.finish()
        #expect(
            outcome.errorLines == [
                "input waits, because 4160 effects are running; it is read again when 2048 are left",
                "gatehouse: 5000 lines, 10000 actions, 0 rejected",
            ])
        #expect(outcome.exitCode == 0)
        withExtendedLifetime(lock) {}
    }

    @Test func `a file that somebody holds longer than busyTimeout fails what is to be saved`() throws {
        let scene = try scene(#", "settings": { "busyTimeout": 20 }"#)
        let lock = try held(scene)
        let outcome = try scene.run(["--print", "none"], input: save("a"))
        #expect(
            outcome.errorLines == [
                #"docs: has not done "save": ./data/docs/documents.sqlite: somebody else held the file for 20 ms; try again, end the other program, or raise "busyTimeout""#,
                "gatehouse: 1 line, 2 actions, 0 rejected, 1 failed in docs",
            ])
        #expect(outcome.exitCode == 75)
        withExtendedLifetime(lock) {}
    }
}
