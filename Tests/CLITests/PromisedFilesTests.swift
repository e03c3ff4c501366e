// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What is promised to outlive a power failure is on the disk, with its name and the folders that were made for it.
@Suite(.timeLimit(.minutes(10))) struct PromisedFilesTests {
    /// Runs the program with lines on standard input; what it tells the disk is added to the scene's log.
    @discardableResult
    private func run(_ scene: Scene, _ arguments: [String], input: String = "") throws -> ChildProcess.Outcome
    {
        let outcome = try ChildProcess.run(
            arguments: arguments, input: Array(input.utf8), in: scene.folder.path,
            environment: scene.environment.merging(DiskLog.environment(to: scene.folder("disk.log"))) { $1 })
        return outcome
    }

    /// Expects some files of a scene to be there, and nothing of them to go with the power.
    private func expectOnDisk(
        _ scene: Scene, _ paths: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let log = try DiskLog(in: scene.folder("disk.log"))
        let doubts = paths.flatMap { path in
            (FileSystem.exists(scene.folder(path)) ? [] : ["\(path) is not there"])
                + log.doubts(about: scene.folder(path))
        }.map { $0.replacing(scene.folder.path, with: "SCENE") }
        #expect(doubts == [], sourceLocation: sourceLocation)
    }

    private let increment = #"{"type":"counter/increment"}"# + "\n"

    @Test func `the state that a run leaves`() throws {
        let scene = try Scene.counter(#""stateFile": "state.json", "#)
        for _ in 1...2 {
            #expect(try run(scene, ["run"], input: increment).exitCode == 0)
            try expectOnDisk(scene, "state.json")
            FileSystem.remove(scene.folder("disk.log"))
        }
    }

    @Test func `a journal, its promise, its images, and the note of where it is`() throws {
        let scene = try Scene.counter(#""journal": {}, "#)
        #expect(try run(scene, ["run"], input: increment).exitCode == 0)
        let image = try #require(FileSystem.names(in: scene.folder("journal/images")).first)
        try expectOnDisk(
            scene, "journal/journal.sqlite", "journal/journal.promise",
            "journal/images/\(image)/libCounterPlugin.so", "data/host/journal")
    }

    @Test func `a backup, and what a restore puts in the place of what`() throws {
        let scene = try Scene.counter(#""journal": {}, "#)
        #expect(try scene.run(input: increment).exitCode == 0)
        #expect(try run(scene, ["backup", "copy.sqlite"]).exitCode == 0)
        try expectOnDisk(scene, "copy.sqlite")
        FileSystem.remove(scene.folder("disk.log"))
        #expect(try run(scene, ["restore", "copy.sqlite"]).exitCode == 0)
        let kept = FileSystem.names(in: scene.folder("journal")).filter { $0.contains("before-restore") }
        // The journal, what had not been written back to it, and its promise.
        #expect(kept.count == 3)
        for name in kept where name.contains("promise") {
            try expectOnDisk(scene, "journal/\(name)")
        }
        try expectOnDisk(scene, "journal/journal.sqlite", "journal/journal.promise")
        // Where there is no folder yet, too.
        FileSystem.removeFolder(scene.folder("journal"))
        FileSystem.remove(scene.folder("disk.log"))
        #expect(try run(scene, ["restore", "copy.sqlite"]).exitCode == 0)
        try expectOnDisk(scene, "journal/journal.sqlite", "journal/journal.promise")
    }

    @Test func `the account of crashes`() throws {
        let scene = try Scene(
            #"{ "name": "shop", "supervise": { "pause": 0 }, "plugins": [{ "id": "fatal" }] }"#,
            libraries: ["FatalPlugin"])
        let act = #"{"type":"fatal/act","payload":{"place":"handle","deed":"trap"}}"# + "\n"
        #expect(try run(scene, ["run", "--supervise", "--print", "none"], input: act).exitCode == 0)
        try expectOnDisk(scene, "data/host/crashes.json")
    }

    @Test func `lines and documents that are to outlive the power`() throws {
        let scene = try Scene(
            """
            { "plugins": [
                { "id": "file", "settings": { "include": ["docs/save"], "durability": "power", "maximumSize": 64 } },
                { "id": "docs", "library": "libPersistencePlugin.so", "settings": { "durability": "power" } } ] }
            """, libraries: ["FilePlugin", "PersistencePlugin"])
        let save = #"{"type":"docs/save","payload":{"collection":"c","id":"a","value":1}}"# + "\n"
        let outcome = try run(scene, ["run"], input: save + save + save)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(
            FileSystem.names(in: scene.folder("data/file")) == [
                "actions.ndjson", "actions.ndjson.000001.gz", "actions.ndjson.000002.gz",
            ])
        try expectOnDisk(
            scene, "data/file/actions.ndjson", "data/file/actions.ndjson.000001.gz",
            "data/file/actions.ndjson.000002.gz", "data/docs/documents.sqlite")
    }
}
