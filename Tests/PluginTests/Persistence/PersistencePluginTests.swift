// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import GatehouseTesting
import Testing

@testable import PersistencePlugin

/// What the plugin does when all is well.
@Suite(.timeLimit(.minutes(5)))
struct PersistencePluginTests {
    @Test(
        arguments: [
            nil, true, -1, 1.5, "text", "", [1, [2, nil]], ["b": 1, "a": ["é": "\u{0}"]], .bigNumber("1e999"),
        ] as [Value])
    func `any value comes back as it was saved`(value: Value) async throws {
        let scene = try DocumentScene()
        try await scene.save("c", "id", value)
        let documents = try await scene.documents("c")
        #expect(documents == [["id": "id", "value": value]])
        #expect(documents?[0]?["value"]?.json() == value.json())
        try await scene.store.finish()
    }

    @Test(arguments: ["", " ", "é", "e\u{301}", "a\u{0}b", "'; DROP TABLE documents; --", "\u{10ffff}"])
    func `any text is an id and a collection`(text: String) async throws {
        let scene = try DocumentScene()
        try await scene.save(text, text, 1)
        try await scene.save("other", "other", 2)
        let documents = try await scene.documents(text)
        let expected: Value = [["id": .string(text), "value": 1]]
        #expect(documents?.json() == expected.json())
        try await scene.store.finish()
    }

    @Test func `ids that look alike and differ in their bytes are two`() async throws {
        let scene = try DocumentScene()
        try scene.send("request", ["collection": "c"])
        try await scene.expect("received", ["collection": "c", "documents": []])
        for (id, value) in [("é", 1), ("e\u{301}", 2)] as [(String, Value)] {
            try scene.send("save", ["collection": "c", "id": .string(id), "value": value])
            #expect(try await scene.next()["type"] == "changed")
            #expect(try await scene.next()["type"] == "saved")
        }
        #expect(try await scene.documents("c")?.arrayValue?.count == 2)
        try await scene.store.finish()
    }

    @Test func `a document saved again is replaced, one deleted is gone`() async throws {
        let scene = try DocumentScene()
        try await scene.save("c", "a", 1)
        try await scene.save("c", "a", 2)
        try await scene.save("c", "b", 3)
        #expect(try await scene.documents("c") == [["id": "a", "value": 2], ["id": "b", "value": 3]])
        try scene.send("delete", ["collection": "c", "id": "a"])
        try await scene.expect("deleted", ["collection": "c", "id": "a"])
        #expect(try await scene.documents("c") == [["id": "b", "value": 3]])
        try await scene.store.finish()
    }

    @Test func `deleting what is not there is done already`() async throws {
        let scene = try DocumentScene()
        try scene.send("delete", ["collection": "c", "id": "a"])
        try await scene.expect("deleted", ["collection": "c", "id": "a"])
        try await scene.store.finish()
    }

    @Test func `a request may ask for a prefix, for ids, for both`() async throws {
        let scene = try DocumentScene()
        for id in ["a", "ab", "abc", "b", "B"] { try await scene.save("c", id, .string(id)) }
        try await scene.save("d", "ab", "other")
        func ids(_ others: (String, Value)...) async throws -> [String] {
            var payload = Members([("token", "once"), ("collection", "c")])
            for (name, value) in others { payload[name] = value }
            try scene.send("request", .object(payload))
            let documents = try await scene.next()["payload"]?["documents"]?.arrayValue ?? []
            return documents.compactMap { $0["id"]?.stringValue }
        }
        #expect(try await ids() == ["B", "a", "ab", "abc", "b"])
        #expect(try await ids(("prefix", "ab")) == ["ab", "abc"])
        #expect(try await ids(("prefix", "")) == ["B", "a", "ab", "abc", "b"])
        #expect(try await ids(("ids", ["b", "a", "x", "a"])) == ["a", "b"])
        #expect(try await ids(("ids", [])) == [])
        #expect(try await ids(("prefix", "a"), ("ids", ["b", "ab"])) == ["ab"])
        try await scene.store.finish()
    }

    @Test func `changes that wait share one wait for the disk`() async throws {
        let scene = try DocumentScene()
        scene.store.isExhaustive = false
        let ids = (0..<200).map { "k\($0)" }
        for id in ids { try scene.send("save", ["collection": "c", "id": .string(id), "value": 1]) }
        for id in ids { try await scene.expect("saved", ["collection": "c", "id": .string(id)]) }
        // Each transaction writes a page of 4 KB or more.
        #expect(try FileSystem.read(scene.file + "-wal").count < 100 * 4_096)
        try await scene.store.finish()
    }

    @Test func `a live request gives all documents, then each change, before the change is reported`()
        async throws
    {
        let scene = try DocumentScene()
        try await scene.save("c", "b", 1)
        try scene.send("request", ["token": "t", "collection": "c"])
        try await scene.expect(
            "received", ["token": "t", "collection": "c", "documents": [["id": "b", "value": 1]]])
        try scene.send("save", ["collection": "c", "id": "a", "value": 2])
        try await scene.expect(
            "changed",
            ["token": "t", "collection": "c", "saved": [["id": "a", "value": 2]], "deleted": []])
        try await scene.expect("saved", ["collection": "c", "id": "a"])
        try scene.send("save", ["collection": "c", "id": "b", "value": 3])
        try await scene.expect(
            "changed",
            ["token": "t", "collection": "c", "saved": [["id": "b", "value": 3]], "deleted": []])
        try await scene.expect("saved", ["collection": "c", "id": "b"])
        try scene.send("delete", ["collection": "c", "id": "a"])
        try await scene.expect(
            "changed", ["token": "t", "collection": "c", "saved": [], "deleted": ["a"]])
        try await scene.expect("deleted", ["collection": "c", "id": "a"])
        try await scene.store.finish()
    }

    @Test func `changes that a live request does not ask for are not told`() async throws {
        let scene = try DocumentScene()
        for (token, name, wanted) in [("p", "prefix", "x"), ("i", "ids", ["y"])] as [(Value, String, Value)] {
            try scene.send("request", .object(["token": token, "collection": "c", name: wanted]))
            try await scene.expect("received", ["token": token, "collection": "c", "documents": []])
        }
        try await scene.save("d", "x1", 1)
        try await scene.save("c", "z", 1)
        try scene.send("delete", ["collection": "c", "id": "x1"])
        try await scene.expect("deleted", ["collection": "c", "id": "x1"])
        try scene.send("save", ["collection": "c", "id": "x1", "value": 2])
        try await scene.expect(
            "changed",
            ["token": "p", "collection": "c", "saved": [["id": "x1", "value": 2]], "deleted": []])
        try await scene.expect("saved", ["collection": "c", "id": "x1"])
        try scene.send("save", ["collection": "c", "id": "y", "value": 3])
        try await scene.expect(
            "changed",
            ["token": "i", "collection": "c", "saved": [["id": "y", "value": 3]], "deleted": []])
        try await scene.expect("saved", ["collection": "c", "id": "y"])
        try await scene.store.finish()
    }

    @Test func `actions are done in the order in which they come`() async throws {
        let scene = try DocumentScene()
        scene.store.isExhaustive = false
        try scene.send("request", ["token": "t", "collection": "c"])
        for number in 1...600 {
            try scene.send("save", ["collection": "c", "id": "a", "value": Value(number)])
        }
        try scene.send("request", ["token": "u", "collection": "c"])
        try await scene.expect("received", ["token": "t", "collection": "c", "documents": []])
        var told: [Int] = []
        var saved = 0
        while true {
            let action = try await scene.next()
            if action["payload"]?["token"] == "u" { break }
            if action["type"] == "saved" {
                saved += 1
                #expect(saved <= told.count)
            } else {
                told.append(action["payload"]?["saved"]?[0]?["value"]?.intValue ?? -1)
            }
        }
        #expect(told == Array(1...600))
        #expect(saved == 600)
        try await scene.store.finish()
    }

    @Test func `a cancelled request is told nothing more, the others are`() async throws {
        let scene = try DocumentScene()
        for payload in [["token": "t", "collection": "c"], ["collection": "c"]] as [Value] {
            try scene.send("request", payload)
            #expect(try await scene.next()["type"] == "received")
        }
        try scene.send("cancel")
        try scene.send("save", ["collection": "c", "id": "a", "value": 1])
        try await scene.expect(
            "changed",
            ["token": "t", "collection": "c", "saved": [["id": "a", "value": 1]], "deleted": []])
        try await scene.expect("saved", ["collection": "c", "id": "a"])
        try scene.send("cancelAll")
        try await scene.save("c", "b", 2)
        try await scene.store.finish()
    }

    @Test func `what another program wrote is told when a change comes across it`() async throws {
        let scene = try DocumentScene()
        try await scene.save("c", "b", 1)
        try scene.send("request", ["collection": "c"])
        #expect(try await scene.next()["type"] == "received")
        let other = try SQLiteConnection(path: scene.file, .sharing, busyTimeout: 1000)
        try other.execute("INSERT INTO documents VALUES ('c', 'x', '[2]'), ('c', 'y', 'no JSON')")
        try scene.send("delete", ["collection": "c", "id": "x"])
        // Once more from the beginning; the change does not wait for the second answer.
        var seen: [Value] = []
        for _ in 0..<2 { seen.append(try await scene.next()) }
        #expect(seen.contains(["type": "deleted", "payload": ["collection": "c", "id": "x"]]))
        let documents: Value = [["id": "b", "value": 1], ["id": "y", "value": "no JSON"]]
        #expect(
            seen.contains(["type": "received", "payload": ["collection": "c", "documents": documents]]))
        try other.execute("DELETE FROM documents WHERE id = 'b'")
        try scene.send("delete", ["collection": "c", "id": "b"])
        seen = []
        for _ in 0..<2 { seen.append(try await scene.next()) }
        let rest: Value = [["id": "y", "value": "no JSON"]]
        #expect(seen.contains(["type": "received", "payload": ["collection": "c", "documents": rest]]))
        try await scene.store.finish()
    }

    @Test func `documents are there after a restart`() async throws {
        let folder = try TemporaryFolder()
        try await DocumentScene(in: folder).save("c", "a", 1)
        #expect(try await DocumentScene(in: folder).documents("c") == [["id": "a", "value": 1]])
    }

    @Test func `two instances keep to themselves`() async throws {
        let folder = try TemporaryFolder()
        let scenes = try ["one", "two"].map {
            try DocumentScene(in: folder, dataDirectory: folder("deep/down/" + $0))
        }
        try await scenes[0].save("c", "a", 1)
        try await scenes[1].save("c", "b", 2)
        #expect(try await scenes[0].documents("c") == [["id": "a", "value": 1]])
        #expect(try await scenes[1].documents("c") == [["id": "b", "value": 2]])
    }

    @Test func `the folder and the file are made by the first action, for this user alone`() async throws {
        let scene = try DocumentScene(settings: ["file": "mine.db"])
        #expect(throws: SystemFailure.self) { try FileSystem.read(scene.folder("data/mine.db")) }
        try await scene.save("c", "a", 1)
        #expect(try FileSystem.read(scene.folder("data/mine.db")).starts(with: Array("SQLite format 3".utf8)))
        #expect(try mode(of: scene.folder("data")) == "drwx------")
        try await scene.store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Persistence.checkManifest(at: "Plugins/Persistence/plugin.json")
    }

    /// The mode of a file or folder in letters.
    private func mode(of path: String) throws -> String? {
        try ChildProcess.run("/bin/ls", arguments: ["-ld", path]).output.split(separator: " ").first.map {
            String($0.prefix(10))
        }
    }
}
