// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import SeededTesting
import Testing

/// What a host does with a journal that is damaged, full, of another version or out of reach.
@Suite(.timeLimit(.minutes(120))) struct BrokenJournalTests {
    private static let journal = #""journal": {}, "#
    private static let increment = #"{"type":"counter/increment"}"# + "\n"

    /// A scene in which a host was killed after the tenth line that it had acknowledged, each of them alone.
    private func killed() throws -> (scene: Scene, file: JournalFile) {
        let scene = try Scene.counter(Self.journal)
        let child = try scene.start(["--listen", "unix:in.sock?ack"])
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        let connection = try LocalConnection(scene.folder("in.sock"))
        for number in 1...10 {
            connection.write(Self.increment)
            #expect(connection.readLine() == "{\"ok\":\(number)}")
        }
        child.signal(SIGKILL)
        _ = try child.finish()
        return (scene, JournalFile(in: scene.folder("journal")))
    }

    /// A scene in which two hosts have counted to five and ten, and have ended in order, each with a snapshot.
    private func ended() throws -> (scene: Scene, file: JournalFile) {
        let scene = try Scene.counter(Self.journal)
        for number in [5, 10] {
            let outcome = try scene.run(input: String(repeating: Self.increment, count: 5))
            #expect(try count(outcome) == number)
            if number == 5 {
                try scene.folder.write(
                    FileSystem.read(scene.folder("journal/journal.sqlite")), to: "five.sqlite")
            }
        }
        return (scene, JournalFile(in: scene.folder("journal")))
    }

    /// The count in what a run prints.
    private func count(_ outcome: ChildProcess.Outcome) throws -> Int? {
        try JSONText.parse(outcome.output)["counter"]?["count"]?.intValue
    }

    /// Expects that a host refuses a journal with a sentence, and does so again because it leaves the file alone.
    private func expectRefusal(_ scene: Scene, _ file: JournalFile, _ sentence: String) throws {
        let before = try FileSystem.read(file.path)
        for _ in 0..<2 {
            let outcome = try scene.run(input: Self.increment)
            #expect(outcome.errors == "gatehouse: ./journal/journal.sqlite: \(sentence)\n")
            #expect(outcome.output == "")
            #expect(outcome.exitCode == 74)
        }
        #expect(try FileSystem.read(file.path) == before)
    }

    // MARK: - Files

    /// Expects that a host refuses a journal of ten actions because some are gone, and goes on with fewer only when that is wanted.
    private func expectLoss(_ scene: Scene, _ file: JournalFile, found: Int) throws {
        let difference = "expected action 10 and input 10, found action \(found) and input \(found)"
        try expectRefusal(
            scene, file,
            "the journal cannot be opened: \(difference); restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        )
        let outcome = try scene.run(["--accept-loss"], input: Self.increment)
        #expect(
            outcome.errors.contains(
                "./journal/journal.sqlite: \(difference); the host continues with what is there\n"),
            "\(outcome.errors)")
        #expect(try count(outcome) == found + 1)
        #expect(outcome.exitCode == 0)
        // From then on nothing is missing.
        #expect(try count(try scene.run(input: Self.increment)) == found + 2)
    }

    @Test func `a log that was cut off is refused with both numbers`() throws {
        let (scene, file) = try killed()
        // Each line was committed alone; the note that the last one is done may be there or not.
        let pages = try (FileSystem.read(file.log).count - 32) / 4_120
        try JournalFile.cut(file.log) { _ in 32 + (pages - 3) * 4_120 + 100 }
        let refusal = try scene.run()
        #expect(refusal.exitCode == 74)
        let words = try #require(
            refusal.errors.firstMatch(
                of: /: expected action (\d+) and input 10, found action (\d+) and input (\d+);/),
            "\(refusal.errors)")
        #expect(["9", "10"].contains(words.1))
        let (promised, found) = (try #require(Int(words.1)), try #require(Int(words.2)))
        #expect((1...promised).contains(found))
        let outcome = try scene.run(["--accept-loss"])
        #expect(outcome.exitCode == 0)
        #expect((found...10).contains(try #require(try count(outcome))))
    }

    @Test func `a bit that turned in the log of a killed host is refused with both numbers`() throws {
        let (scene, file) = try killed()
        var log = try FileSystem.read(file.log)
        log[32 + 4_120 + 24 + 5] ^= 1
        try FileSystem.write(log, to: file.log)
        let refusal = try scene.run()
        #expect(refusal.exitCode == 74)
        #expect(
            refusal.errors.contains(/expected action (9|10) and input 10, found action 0 and input 0;/),
            "\(refusal.errors)")
    }

    @Test func `a journal that an older copy replaced is refused, and used when the loss is accepted`() throws
    {
        let (scene, file) = try ended()
        try FileSystem.write(FileSystem.read(scene.folder("five.sqlite")), to: file.path)
        FileSystem.remove(file.log)
        try expectLoss(scene, file, found: 5)
    }

    @Test func `a journal without its promise is refused`() throws {
        let (scene, file) = try ended()
        FileSystem.remove(scene.folder("journal/journal.promise"))
        try expectRefusal(
            scene, file,
            "the journal cannot be opened: journal.promise is missing beside it, so it is unknown whether it is complete; put the file back, restore a backup with gatehouse restore, or continue with what is there with --accept-loss"
        )
        let outcome = try scene.run(["--accept-loss"])
        #expect(try count(outcome) == 10)
        #expect(try count(try scene.run()) == 10)
    }

    @Test func `a host whose journal is removed while it runs acknowledges nothing more`() throws {
        let scene = try Scene.counter(Self.journal)
        let child = try scene.start(["--listen", "unix:in.sock?ack"])
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        let connection = try LocalConnection(scene.folder("in.sock"))
        connection.write(Self.increment)
        #expect(connection.readLine() == "{\"ok\":1}")
        FileSystem.removeFolder(scene.folder("journal"))
        connection.write(Self.increment)
        let outcome = try child.finish()
        #expect(
            outcome.errors.contains(
                "journal.sqlite was removed or moved away while the journal was open; put the folder back as it was, or restore a backup with gatehouse restore, then start the host again; the host ends\n"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 74)
        #expect(connection.readLine() != "{\"ok\":2}")
    }

    @Test func `a file that was cut off is refused, and left alone`() throws {
        let (scene, file) = try ended()
        try JournalFile.cut(file.path) { $0 / 2 }
        try expectRefusal(
            scene, file,
            "the journal cannot be opened: expected action 10 and input 10, but the file cannot be used: database disk image is malformed; restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        )
    }

    @Test func `a file that is no journal is refused, and left alone`() throws {
        let scene = try Scene.counter(Self.journal)
        _ = try scene.folder.makeFolder("journal")
        try scene.folder.write(String(repeating: "no journal ", count: 1_000), to: "journal/journal.sqlite")
        try expectRefusal(
            scene, JournalFile(in: scene.folder("journal")),
            "the journal cannot be opened: this file is not a journal; name another folder")
    }

    @Test func `a journal of a newer form is refused, and left alone`() throws {
        let (scene, file) = try ended()
        try file.change("PRAGMA user_version = 5")
        try expectRefusal(
            scene, file,
            "the journal cannot be opened: it has form 5, and this version knows forms up to 4; use the version that wrote it, or a newer one"
        )
    }

    @Test func `a folder that cannot be made is refused`() throws {
        let scene = try Scene.counter(Self.journal)
        try scene.folder.write("in the way", to: "journal")
        let outcome = try scene.run()
        #expect(
            outcome.errors.hasPrefix("gatehouse: ./journal/journal.sqlite: the journal cannot be opened: "))
        #expect(outcome.exitCode == 74)
        #expect(try scene.folder.read("journal") == "in the way")
    }

    // MARK: - Parts of it

    @Test func `a damaged snapshot is told, and the one before is used with more of the journal`() throws {
        let (scene, file) = try ended()
        try file.change(
            "UPDATE slice SET content = zeroblob(length(content)) WHERE snapshot = (SELECT max(id) FROM snapshot)"
        )
        let outcome = try scene.run()
        #expect(outcome.errors.contains("; an older snapshot is used\n"), "\(outcome.errors)")
        #expect(try count(outcome) == 10)
        #expect(outcome.exitCode == 0)
    }

    @Test func `without a good snapshot, the reducers go over the whole journal`() throws {
        let (scene, file) = try ended()
        try file.change(
            "UPDATE slice SET content = zeroblob(length(content)); UPDATE snapshot SET content = x'00'")
        let outcome = try scene.run()
        #expect(outcome.errors.contains("; the whole journal is replayed\n"), "\(outcome.errors)")
        #expect(try count(outcome) == 10)
        #expect(outcome.exitCode == 0)
    }

    @Test func `a damaged part that is needed is named, and left out only when that is wanted`() throws {
        let (scene, file) = try killed()
        try file.change(
            """
            DELETE FROM slice; DELETE FROM snapshot;
            UPDATE batch SET content = zeroblob(length(content)) WHERE first <= 5 AND first + count > 5
            """)
        let refusal = try scene.run()
        #expect(
            refusal.errors.hasPrefix(
                "gatehouse: ./journal/journal.sqlite: the journal cannot be read: action"))
        #expect(refusal.exitCode == 74)
        #expect(try scene.run().errors == refusal.errors)
        let outcome = try scene.run(["--accept-loss"])
        #expect(outcome.errors.contains("; the host continues without its content\n"))
        #expect(outcome.exitCode == 0)
        let left = try #require(try count(outcome))
        #expect((5...9).contains(left))
        // What was accepted is behind it from then on.
        #expect(try count(try scene.run(input: Self.increment)) == left + 1)
    }

    @Test func `a byte that has changed is noticed, or changes nothing`() throws {
        let seed = UInt64.random(in: 0..<(1 << 32))
        var generator = SeededGenerator(seed: seed)
        let (scene, file) = try ended()
        let sound = try FileSystem.read(file.path)
        for _ in 0..<20 {
            let place = Int.random(in: 0..<sound.count, using: &generator)
            try file.damage(at: place)
            let outcome = try scene.run()
            let comment: Comment = "seed \(seed), byte \(place): \(outcome.errors)"
            if outcome.exitCode == 0 {
                #expect(try count(outcome) == 10, comment)
            } else {
                #expect(outcome.exitCode == 74, comment)
                // A snapshot that cannot be read is told before.
                #expect(
                    outcome.errorLines.contains { $0.hasPrefix("gatehouse: ./journal/journal.sqlite: ") },
                    comment)
            }
            for end in ["", "-wal", "-shm"] { FileSystem.remove(file.path + end) }
            try FileSystem.write(sound, to: file.path)
        }
    }

    // MARK: - The disk

    @Test func `a full disk ends the host with a sentence, and what was acknowledged is there afterwards`()
        throws
    {
        let seed = UInt64.random(in: 0..<(1 << 32))
        var generator = SeededGenerator(seed: seed)
        let host = try TorturedHost(#""journal": { "mode": "strict", "snapshotEvery": 500 }, "#, seed: seed)
        let child = try host.start()
        try host.waitUntilListening(child)
        try child.limitFiles(to: UInt64.random(in: 100_000..<500_000, using: &generator))
        for thread in try host.startWriters() { thread.join() }
        let outcome = try child.finish()
        #expect(outcome.exitCode == 74, "seed \(seed)")
        #expect(
            outcome.errors.contains("gatehouse: ./journal/journal.sqlite: the journal cannot be written: "),
            "seed \(seed): \(outcome.errors)")
        try host.expectAll(in: try host.runToEnd())
    }

    /// Whether this process may take a folder away from itself.
    private static let canBecome = geteuid() == 0 && Workshop.has("setpriv")

    @Test(.enabled(if: canBecome, "becoming another user takes root"))
    func `a journal that may only be read is refused, and left alone`() throws {
        let (scene, file) = try ended()
        try FileSystem.setMode(0o755, of: scene.folder.path)
        let before = try FileSystem.read(file.path)
        let outcome = try ChildProcess.run(
            "/usr/bin/setpriv",
            arguments: [
                "--reuid=\(Stranger.identifier)", "--regid=\(Stranger.identifier)", "--clear-groups",
                BuiltProducts.program, "run",
            ], in: scene.folder.path)
        #expect(
            outcome.errors.contains("gatehouse: ./journal/journal.sqlite: the journal cannot be opened: "),
            "\(outcome.errors)")
        #expect(outcome.exitCode == 74)
        #expect(try FileSystem.read(file.path) == before)
    }

    // MARK: - Under a supervisor

    @Test func `a supervisor does not start a host again that cannot use its journal`() throws {
        let (scene, file) = try ended()
        try file.change("PRAGMA user_version = 5")
        let outcome = try scene.run(["--supervise"])
        #expect(outcome.errorLines.count == 1, "\(outcome.errors)")
        #expect(outcome.exitCode == 74)
    }
}
