// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseTesting
import Glibc
import Testing

@testable import GatehouseSQLite
@testable import PersistencePlugin

/// What the plugin answers when something is wrong, and that trying again helps once it is not.
@Suite(.timeLimit(.minutes(5)))
struct PersistenceFailureTests {
    /// What a save of `a` in `c` answers when it fails.
    private func failed(_ reason: String, _ message: String) -> Value {
        [
            "operation": "save", "reason": .string(reason), "message": .string(message), "collection": "c",
            "id": "a",
        ]
    }

    private let save: Value = ["collection": "c", "id": "a", "value": 1]

    /// A folder with a database that a body has worked on.
    private func folder(_ body: (SQLiteConnection) throws -> Void) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("data")
        try body(SQLiteConnection(path: folder("data/documents.sqlite"), .sharing, busyTimeout: 0))
        return folder
    }

    @Test func `without the data folder every action fails and says what to grant, and which one has`()
        async throws
    {
        let scene = try DocumentScene(isGranted: false)
        let message =
            #"the instance test has no folder for its file; grant it "data" in "lift"/"dependencies""#
        for _ in 0..<2 {
            try scene.send("save", save)
            try await scene.expect("failed", failed("noDataFolder", message))
        }
        try scene.send("request", ["token": "t", "collection": "c"])
        try await scene.expect(
            "failed",
            [
                "operation": "request", "reason": "noDataFolder", "message": .string(message),
                "collection": "c",
                "token": "t",
            ])
        try scene.send("delete", ["collection": "c", "id": "a"])
        #expect(try await scene.next()["payload"]?["operation"] == "delete")
        #expect(
            scene.notices.all == [
                .failed(action: "save", payload: save, reason: message),
                .failed(action: "save", payload: save, reason: message),
                .failed(action: "request", payload: ["token": "t", "collection": "c"], reason: message),
                .failed(action: "delete", payload: ["collection": "c", "id": "a"], reason: message),
            ])
        try await scene.store.finish()
    }

    @Test func `a file that somebody else holds is locked until it is released`() async throws {
        let scene = try DocumentScene(settings: ["busyTimeout": 10])
        try await scene.save("c", "a", 0)
        let other = try SQLiteConnection(path: scene.file, .sharing, busyTimeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        for _ in 0..<2 {
            try scene.send("save", save)
            try await scene.expect(
                "failed",
                failed(
                    "locked",
                    """
                    \(scene.file): somebody else held the file for 10 ms; \
                    try again, end the other program, or raise "busyTimeout"
                    """))
        }
        #expect(try await scene.documents("c") == [["id": "a", "value": 0]])
        try other.execute("ROLLBACK")
        try await scene.save("c", "a", 1)
        #expect(try await scene.documents("c") == [["id": "a", "value": 1]])
        #expect(scene.notices.all.count == 2)
        try await scene.store.finish()
    }

    @Test func `a batch behind a lock waits for it once, and each change is answered`() async throws {
        let scene = try DocumentScene(settings: ["busyTimeout": 0])
        try await scene.save("c", "a", 0)
        let other = try SQLiteConnection(path: scene.file, .sharing, busyTimeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        scene.store.isExhaustive = false
        for id in ["a", "b", "c"] as [Value] {
            try scene.send("save", ["collection": "c", "id": id, "value": 1])
        }
        for id in ["a", "b", "c"] as [Value] {
            let action = try await scene.next()
            #expect(action["payload"]?["id"] == id)
            #expect(action["payload"]?["reason"] == "locked")
        }
        try await scene.store.finish()
    }

    @Test func `a file that is no database is left alone, and used no longer once it is moved away`()
        async throws
    {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("data")
        let text = String(repeating: "not a database\n", count: 100)
        let path = try folder.write(text, to: "data/documents.sqlite")
        let scene = try DocumentScene(in: folder)
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "notADatabase",
                """
                \(path): expected an SQLite database, found something else; \
                move it away, restore a copy, or set "file" to another name
                """))
        #expect(try FileSystem.read(path) == Array(text.utf8))
        FileSystem.remove(path)
        try await scene.save("c", "a", 1)
        try await scene.store.finish()
    }

    @Test func `a database of another program is left alone`() async throws {
        let folder = try folder { try $0.execute("CREATE TABLE songs (title TEXT)") }
        let before = try FileSystem.read(folder("data/documents.sqlite"))
        let scene = try DocumentScene(in: folder)
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "foreignDatabase",
                """
                \(scene.file): expected a database of documents, found one of another program; \
                set "file" to another name
                """))
        #expect(try FileSystem.read(scene.file) == before)
        try await scene.store.finish()
    }

    @Test func `a newer schema is left alone`() async throws {
        let folder = try TemporaryFolder()
        try await DocumentScene(in: folder).save("c", "a", 0)
        let scene = try DocumentScene(in: folder)
        try SQLiteConnection(path: scene.file, .sharing, busyTimeout: 1000).execute("PRAGMA user_version = 7")
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "newerSchema",
                """
                \(scene.file): expected schema version 1 or less, found 7; \
                update the persistence plugin, or set "file" to another name
                """))
        try SQLiteConnection(path: scene.file, .sharing, busyTimeout: 1000).execute("PRAGMA user_version = 1")
        #expect(try await scene.documents("c") == [["id": "a", "value": 0]])
        try await scene.store.finish()
    }

    @Test func `a schema version that no plugin has written is taken for another program's`() async throws {
        let folder = try TemporaryFolder()
        try await DocumentScene(in: folder).save("c", "a", 0)
        let scene = try DocumentScene(in: folder)
        try SQLiteConnection(path: scene.file, .sharing, busyTimeout: 1000).execute(
            "PRAGMA user_version = -1")
        try scene.send("save", save)
        #expect(try await scene.next()["payload"]?["reason"] == "foreignDatabase")
        try await scene.store.finish()
    }

    @Test func `a file that somebody has emptied is filled again after one failure`() async throws {
        let scene = try DocumentScene()
        try await scene.save("c", "a", 0)
        let other = try SQLiteConnection(path: scene.file, .sharing, busyTimeout: 1000)
        for statement in ["DROP TABLE documents", "PRAGMA user_version = 0", "PRAGMA application_id = 0"] {
            try other.execute(statement)
        }
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "databaseError",
                """
                \(scene.file): SQLite says no such table: documents (code 1); nothing was changed, try again
                """))
        try await scene.save("c", "a", 1)
        #expect(try await scene.documents("c") == [["id": "a", "value": 1]])
        try await scene.store.finish()
    }

    @Test(
        arguments: [
            (.locked, false, false), (.diskFull, false, true), (.databaseError, true, true),
            (.readOnly, true, false), (.cannotOpen, true, false), (.notADatabase, true, false),
            (.foreignDatabase, true, false), (.newerSchema, true, false),
        ] as [(DocumentFailure.Reason, Bool, Bool)])
    func `a file in doubt is opened anew, and changes are made one by one only if one may be to blame`(
        reason: DocumentFailure.Reason, leavesFileInDoubt: Bool, mayConcernOneChange: Bool
    ) {
        let failure = DocumentFailure(reason: reason, message: "")
        #expect(failure.leavesFileInDoubt == leavesFileInDoubt)
        #expect(failure.mayConcernOneChange == mayConcernOneChange)
    }

    @Test func `a folder that cannot be made is told, with the system's word`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a file", to: "data")
        let scene = try DocumentScene(in: folder, dataDirectory: folder("data/here"))
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "cannotOpen",
                """
                \(folder("data/here")): the folder cannot be made: Not a directory; \
                make it, or let this user write above it
                """))
        FileSystem.remove(folder("data"))
        try await scene.save("c", "a", 1)
        try await scene.store.finish()
    }

    @Test func `a link in place of the folder is not followed`() async throws {
        let folder = try TemporaryFolder()
        let elsewhere = try folder.makeFolder("elsewhere")
        try FileSystem.link(folder("data"), to: elsewhere)
        let scene = try DocumentScene(in: folder)
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "cannotOpen",
                "\(folder("data")): expected a folder, found a symbolic link; put a folder in its place"))
        #expect(throws: SystemFailure.self) { try FileSystem.read(elsewhere + "/documents.sqlite") }
        FileSystem.remove(folder("data"))
        try await scene.save("c", "a", 1)
        try await scene.store.finish()
    }

    @Test(arguments: [true, false])
    func `a link in place of the file is not followed, whether it leads anywhere or not`(exists: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("data")
        if exists { try folder.write("", to: "target") }
        try FileSystem.link(folder("data/documents.sqlite"), to: folder("target"))
        let scene = try DocumentScene(in: folder)
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "cannotOpen",
                "\(scene.file): expected a file, found a symbolic link; put a file in its place"))
        #expect((try? FileSystem.read(folder("target"))) == (exists ? [] : nil))
        try await scene.store.finish()
    }

    @Test func `folder and file are made for this user alone, and what is there stays as it is`()
        async throws
    {
        let scene = try DocumentScene()
        try await scene.save("c", "a", 1)
        #expect(try FileSystem.mode(of: scene.folder("data")) == 0o700)
        for suffix in ["", "-wal", "-shm"] {
            #expect(try FileSystem.mode(of: scene.file + suffix) == 0o600, "\(suffix)")
        }
        let folder = try TemporaryFolder()
        let nested = try DocumentScene(in: folder, dataDirectory: folder("a/b"))
        try await nested.save("c", "a", 1)
        #expect(try FileSystem.mode(of: folder("a")) == 0o700)
        _ = try folder.makeFolder("data")
        try folder.write("", to: "data/documents.sqlite")
        try FileSystem.setMode(0o640, of: folder("data/documents.sqlite"))
        try await DocumentScene(in: folder).save("c", "a", 1)
        #expect(try FileSystem.mode(of: folder("data")) == 0o755)
        #expect(try FileSystem.mode(of: folder("data/documents.sqlite")) == 0o640)
        try await scene.store.finish()
    }

    @Test func `a read-only place is told apart`() async throws {
        let scene = try DocumentScene(dataDirectory: "/sys/gatehouse-test")
        try scene.send("save", save)
        #expect(try await scene.next()["payload"]?["reason"] == "readOnly")
        try await scene.store.finish()
    }

    @Test func `a file that is a folder cannot be opened`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("data")
        _ = try folder.makeFolder("data/documents.sqlite")
        let scene = try DocumentScene(in: folder)
        try scene.send("save", save)
        try await scene.expect(
            "failed",
            failed(
                "cannotOpen",
                """
                \(scene.file): the file cannot be made or opened; \
                look whether its folder exists and this user may write to it
                """))
        try await scene.store.finish()
    }

    @Test func `a damaged file is told apart from another one`() {
        let failure = DocumentFailure(
            SQLiteError(code: 11, message: "malformed"), path: "f", busyTimeout: 0)
        #expect(failure.reason == .notADatabase)
        #expect(
            failure.description == """
                f: expected an SQLite database, found a damaged one; \
                move it away, restore a copy, or set "file" to another name
                """)
    }

    @Test(arguments: [
        (13, 0, DocumentFailure.Reason.diskFull, "f: there is no room for more; free some and try again"),
        (778, EFBIG, .diskFull, "f: there is no room for more; free some and try again"),
        (778, EDQUOT, .diskFull, "f: there is no room for more; free some and try again"),
        (
            778, EIO, .databaseError,
            "f: SQLite says disk I/O error (code 778); nothing was changed, try again"
        ),
        (
            1544, 0, .readOnly,
            "f: the file may not be written to; let this user write to it and its folder"
        ),
        (
            266, 0, .databaseError, "f: SQLite says disk I/O error (code 266); nothing was changed, try again"
        ),
    ])
    func `SQLite's codes become reasons`(
        code: Int32, systemCode: Int32, reason: DocumentFailure.Reason, message: String
    ) {
        let error = SQLiteError(code: code, message: "disk I/O error", systemCode: systemCode)
        let failure = DocumentFailure(error, path: "f", busyTimeout: 0)
        #expect(failure.reason == reason)
        #expect(failure.message == message)
    }
}
