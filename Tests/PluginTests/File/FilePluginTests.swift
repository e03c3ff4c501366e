// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseTesting
import Glibc
import Testing

@testable import FilePlugin

@Suite(.timeLimit(.minutes(10))) struct FilePluginTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A store whose instance writes below the folder of the test, on an own clock.
    private func store(
        _ settings: Value = [:], data: String? = "data", status: PluginStatus = PluginStatus()
    ) throws -> TestStore<AnyAction, NoState> {
        var all: Value = ["include": ["*"]]
        all.merge(settings)
        let store = try TestStore(
            File.self, settings: all,
            services: TestServices(dataDirectory: data.map { folder($0) }, status: status))
        store.limit = .seconds(120)
        return store
    }

    /// The lines of a file of the instance.
    private func lines(_ name: String = "actions.ndjson") throws -> [String] {
        try folder.read("data/" + name).split(separator: "\n").map(String.init)
    }

    /// What a compressed file holds.
    private func unpacked(_ name: String) throws -> String {
        let outcome = try ChildProcess.run(
            "/usr/bin/env", arguments: ["gzip", "-dc", folder("data/" + name)])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return outcome.output
    }

    /// The names of all files of the instance.
    private func names() -> [String] { FileSystem.names(in: folder("data")).sorted() }

    /// An action with a number.
    private func action(_ number: Int, _ type: ActionType = "a") -> AnyAction {
        AnyAction(type, payload: ["n": .integer(Int64(number))])
    }

    @Test func `actions are appended as lines, in order, under the names of the host`() async throws {
        do {
            let store = try store(["include": ["a*"], "exclude": ["ab"]])
            try store.send(AnyAction("a", payload: ["text": "x\ny"], error: true, meta: ["id": 1]))
            try store.send(AnyAction("ab"))
            try store.send(AnyAction("b"))
            try store.send(AnyAction("ac"))
            try await store.finish()
        }
        #expect(
            try lines() == [
                #"{"type":"a","payload":{"text":"x\ny"},"error":true,"meta":{"id":1}}"#, #"{"type":"ac"}"#,
            ])
        let next = try self.store()
        try next.send(AnyAction("d"))
        try await next.finish()
        #expect(try lines().last == #"{"type":"d"}"#)
    }

    @Test(arguments: [File.Durability.process, .power])
    func `many actions keep their order`(durability: File.Durability) async throws {
        let store = try store(["durability": .string(durability.rawValue)])
        for number in 0..<2_000 { try store.send(action(number)) }
        try await store.finish()
        #expect(try lines() == (0..<2_000).map { #"{"type":"a","payload":{"n":\#($0)}}"# })
    }

    @Test func `a line that an accident has cut off is removed, and told`() async throws {
        _ = try folder.makeFolder("data")
        try folder.write("{\"type\":\"whole\"}\n{\"type\":\"ha", to: "data/actions.ndjson")
        let store = try store()
        try store.send(AnyAction("a"))
        try await store.finish()
        #expect(try lines() == [#"{"type":"whole"}"#, #"{"type":"a"}"#])
        #expect(
            store.log == [
                "warning: \(folder("data/actions.ndjson")): 11 bytes of a line without an end were removed, left by a crash"
            ])
    }

    @Test func `a file of nothing but half a line becomes empty, however long it is`() async throws {
        _ = try folder.makeFolder("data")
        try folder.write(String(repeating: "x", count: 200_000), to: "data/actions.ndjson")
        let store = try store()
        try store.send(AnyAction("a"))
        try await store.finish()
        #expect(try lines() == [#"{"type":"a"}"#])
    }

    @Test func `a file is rotated before it becomes too large, and compressed`() async throws {
        let store = try store(["maximumSize": 100])
        // Lines of 28 bytes.
        for number in 10..<20 {
            try store.send(action(number))
            try await store.awaitEnd()
        }
        try await store.finish()
        #expect(
            names() == [
                "actions.ndjson", "actions.ndjson.000001.gz", "actions.ndjson.000002.gz",
                "actions.ndjson.000003.gz",
            ])
        #expect(try lines() == [#"{"type":"a","payload":{"n":19}}"#])
        #expect(
            try unpacked("actions.ndjson.000001.gz")
                == (10..<13).map { "{\"type\":\"a\",\"payload\":{\"n\":\($0)}}\n" }.joined())
        #expect(
            try unpacked("actions.ndjson.000003.gz")
                == (16..<19).map { "{\"type\":\"a\",\"payload\":{\"n\":\($0)}}\n" }.joined())
    }

    @Test(arguments: [(95, 2), (96, 3), (97, 3)])
    func `a file has as many lines as are of exactly its size`(maximum: Int, count: Int) async throws {
        let store = try store(["maximumSize": .integer(Int64(maximum)), "compress": false])
        for number in 10..<15 {
            try store.send(action(number))
            try await store.awaitEnd()
        }
        try await store.finish()
        #expect(try lines("actions.ndjson.000001").count == count)
        #expect(try folder.read("data/actions.ndjson.000001").utf8.count == count * 32)
    }

    @Test func `one batch goes into several files where it has to, and nothing is lost`() async throws {
        let store = try store(["maximumSize": 1_000, "keep": 0, "compress": false])
        for number in 0..<500 { try store.send(action(number)) }
        try await store.finish()
        let files = names().filter { $0 != "actions.ndjson" } + ["actions.ndjson"]
        #expect(
            try files.flatMap { try lines($0) } == (0..<500).map { #"{"type":"a","payload":{"n":\#($0)}}"# })
        for file in files { #expect(try folder.read("data/" + file).utf8.count <= 1_000) }
    }

    @Test func `the newest rotated files are kept`() async throws {
        let store = try store(["maximumSize": 10, "keep": 2, "compress": false])
        for number in 1...6 {
            try store.send(action(number))
            try await store.awaitEnd()
        }
        try await store.finish()
        #expect(names() == ["actions.ndjson", "actions.ndjson.000004", "actions.ndjson.000005"])
        #expect(try lines("actions.ndjson.000005") == [#"{"type":"a","payload":{"n":5}}"#])
    }

    @Test func `a file is rotated with the first action of a period`() async throws {
        let store = try store(["rotateEvery": 3_600, "compress": false])
        // The clock begins at the full hour.
        for (number, seconds) in [(1, 0.0), (2, 3_500), (3, 99), (4, 1), (5, 3_600 * 5)] {
            store.advance(by: .seconds(seconds))
            try store.send(action(number))
            try await store.awaitEnd()
        }
        try await store.finish()
        #expect(try lines("actions.ndjson.000001").count == 3)
        #expect(try lines("actions.ndjson.000002").count == 1)
        #expect(try lines().count == 1)
    }

    @Test func `what an earlier run has left is compressed at the start, and what was cut off begins anew`()
        async throws
    {
        _ = try folder.makeFolder("data")
        try folder.write("one\n", to: "data/actions.ndjson.000007")
        try folder.write("half", to: "data/actions.ndjson.000007.gz.part")
        try folder.write("else", to: "data/actions.ndjson.txt")
        let store = try store(["maximumSize": 1])
        try store.send(action(1))
        try await store.awaitEnd()
        try store.send(action(2))
        try await store.finish()
        #expect(
            names() == [
                "actions.ndjson", "actions.ndjson.000007.gz", "actions.ndjson.000008.gz",
                "actions.ndjson.txt",
            ])
        #expect(try unpacked("actions.ndjson.000007.gz") == "one\n")
    }

    @Test func `a rotation takes nothing away from a compression that is going on`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("line\n", to: "a.ndjson")
        _ = try folder.write("half", to: "a.ndjson.000001.gz.part")
        let files = RotatedFiles(folder: folder.path, name: "a.ndjson")
        #expect(try files.rotate() == folder("a.ndjson.000001"))
        #expect(FileSystem.exists(folder("a.ndjson.000001.gz.part")))
        try files.tidy(compress: false, keep: 0)
        #expect(!FileSystem.exists(folder("a.ndjson.000001.gz.part")))
    }

    @Test func `numbers have six digits, and more when those are not enough`() throws {
        let folder = try TemporaryFolder()
        let files = RotatedFiles(folder: folder.path, name: "a.ndjson")
        for (before, after) in [
            ("000008", "000009"), ("000099", "000100"), ("099999", "100000"), ("999999", "1000000"),
        ] {
            try folder.write("line\n", to: "a.ndjson")
            try folder.write("line\n", to: "a.ndjson.\(before)")
            #expect(try files.rotate() == folder("a.ndjson.\(after)"))
        }
    }

    @Test(arguments: [false, true])
    func `a file that was moved away is made anew, unless another is there by then, which is used`(
        isReplaced: Bool
    ) async throws {
        let store = try store()
        try store.send(action(1))
        try await store.awaitEnd()
        #expect(unsafe rename(folder("data/actions.ndjson"), folder("data/moved")) == 0)
        if isReplaced { try folder.write("", to: "data/actions.ndjson") }
        try store.send(action(2))
        try await store.finish()
        #expect(try lines("moved") == [#"{"type":"a","payload":{"n":1}}"#])
        #expect(try lines() == [#"{"type":"a","payload":{"n":2}}"#])
    }

    @Test func `an action that is not written is answered, and the next one tried again`() async throws {
        let notices = Notices()
        try folder.write("a file", to: "data")
        let store = try store(status: PluginStatus { notices.add($0) })
        try store.send(action(1))
        let message = folder("data/actions.ndjson") + ": Not a directory"
        try await store.receive(
            wire: [
                "type": "failed",
                "payload": [
                    "instance": "test", "reason": "systemError", "message": .string(message),
                    "action": ["type": "a", "payload": ["n": 1]],
                ], "error": true,
            ])
        try await store.awaitEnd()
        // Its own answer was not written either, which is told without another one.
        #expect(notices.all.count == 3)
        #expect(notices.all[1] == .failed(action: "a", payload: ["n": 1], reason: message))
        guard case .failed("failed", _, message) = notices.all.last else {
            Issue.record("\(notices.all)")
            return
        }
        #expect(unsafe unlink(folder("data")) == 0)
        try store.send(action(2))
        try await store.finish()
        #expect(try lines() == [#"{"type":"a","payload":{"n":2}}"#])
        #expect(notices.all.last == .health(.ok))
    }

    @Test(
        arguments: [
            (["directory": "/proc"], "notWritable"), (["directory": "/dev", "file": "null"], "notAFile"),
            (["directory": "/none/there"], "systemError"),
        ] as [(Value, String)])
    func `a place where nothing can be written is told with its reason`(settings: Value, reason: String)
        async throws
    {
        let store = try store(settings)
        try store.send(action(1))
        let answer = try await store.receive { _ in true }
        #expect(
            answer.payload?["reason"]
                == .string(geteuid() == 0 && reason == "notWritable" ? "systemError" : reason))
        store.isExhaustive = false
        try await store.finish()
    }

    @Test func `without a folder nothing is written, which is told with what to do`() async throws {
        let store = try store(data: nil)
        try store.send(action(1))
        let answer = try await store.receive { _ in true }
        #expect(
            answer.payload?["message"]
                == #"the instance has no folder for its file; grant it "data" in "lift"/"dependencies", or set "directory""#
        )
        store.isExhaustive = false
        try await store.finish()
    }

    @Test func `what finds no room in the queue is answered at once`() async throws {
        let store = try store(["queue": 1_024])
        try store.send(AnyAction("a", payload: .string(String(repeating: "x", count: 2_000))))
        let answer = try await store.receive { _ in true }
        #expect(answer.payload?["reason"] == "queueFull")
        #expect(
            answer.payload?["message"]
                == #"1024 bytes are waiting for the disk; raise "queue", or write less"#)
        store.isExhaustive = false
        try await store.finish()
    }

    @Test func `lines that wait for the disk fill the queue, which has room again when they are written`()
        async throws
    {
        _ = try folder.makeFolder("data")
        let store = try store(["queue": 1_024])
        let large = AnyAction("a", payload: .string(String(repeating: "x", count: 400)))
        do {
            let other = try LineFile(path: folder("data/actions.ndjson"))
            for _ in 0..<3 { try store.send(large) }
            #expect(try await store.receive { _ in true }.payload?["reason"] == "queueFull")
            _ = consume other
        }
        try await store.awaitEnd()
        for _ in 0..<2 { try store.send(large) }
        try await store.finish()
        #expect(try lines().count == 4)
    }

    @Test func `an instance waits for another one to let go of the file`() async throws {
        _ = try folder.makeFolder("data")
        let store = try store()
        do {
            let other = try LineFile(path: folder("data/actions.ndjson"))
            try store.send(action(1))
            #expect(try lines() == [])
            _ = consume other
        }
        try await store.finish()
        #expect(try lines() == [#"{"type":"a","payload":{"n":1}}"#])
    }
}

extension TestStore {
    /// Waits until no effect is running, in the middle of a test.
    fileprivate nonisolated(nonsending) func awaitEnd() async throws {
        do {
            let action = try await receive { _ in true }
            Issue.record("expected nothing, found \(action)")
        } catch let failure as TestFailure {
            #expect("\(failure)".contains("no effect is running"))
        }
    }
}
