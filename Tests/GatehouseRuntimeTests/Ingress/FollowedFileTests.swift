// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// A file that others write to and replace.
@Suite(.timeLimit(.minutes(10))) struct FollowedFileTests {
    private let folder: TemporaryFolder
    private let path: String
    /// Where places are stored: a folder that does not exist yet, in one that does not either.
    private let memory: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("in.ndjson")
        memory = folder("state/places")
    }

    /// The file, to be read with what was stored.
    private func followed() throws -> FollowedFile { try FollowedFile(path, rememberingIn: memory) }

    /// Reads what there is, and returns the types of the actions; the file is read on in the same way.
    private func read(_ input: inout ActionInput) throws -> [String] {
        var taker = ActionTaker(IngressConfiguration(), reports: Reporter { _ in })
        var types: [String] = []
        while true {
            switch try input.next(&taker) {
            case .action(let action, _): types.append(action.type.name)
            case .nothing: break
            case .interrupted, .dry, .end: return types
            }
        }
    }

    /// Reads the file from where it was left to its end, and stores how far that was.
    private func readAndEnd() throws -> [String] {
        let file = try followed()
        var input = file.begin(on: ReadingTerms(maximumLineBytes: 1_000, stop: nil))
        let types = try read(&input)
        _ = file.note(input)
        #expect(file.end() == nil)
        file.changes.close()
        return types
    }

    /// Lines of actions.
    private func lines(_ types: String...) -> String { types.map { "{\"type\":\"\($0)\"}\n" }.joined() }

    @Test func `the next run goes on after the last line that was read`() throws {
        try folder.write(lines("a", "b"), to: "in.ndjson")
        #expect(try readAndEnd() == ["a", "b"])
        try folder.write(lines("a", "b", "c"), to: "in.ndjson")
        #expect(try readAndEnd() == ["c"])
        #expect(try readAndEnd() == [])
    }

    @Test func `lines that the run ends on before they are dispatched are read again`() throws {
        try folder.write(lines("a"), to: "in.ndjson")
        #expect(try readAndEnd() == ["a"])
        try folder.write(lines("a", "b"), to: "in.ndjson")
        let file = try followed()
        var input = file.begin(on: ReadingTerms(maximumLineBytes: 1_000, stop: nil))
        let types = try read(&input)
        #expect(types == ["b"])
        #expect(file.end() == nil)
        file.changes.close()
        #expect(try readAndEnd() == ["b"])
    }

    @Test func `the place is stored in a file of the path's own, in folders that are made for it`() throws {
        try folder.write(lines("a"), to: "in.ndjson")
        _ = try readAndEnd()
        let names = FileSystem.names(in: memory)
        #expect(names.count == 1)
        let name = try #require(names.first)
        #expect(name.hasPrefix("tail-") && name.hasSuffix(".json"))
        // Sixteen digits of the digest of the whole path.
        #expect(name.utf8.count == "tail-.json".utf8.count + 16)
        let place = try #require(FilePlace(in: memory + "/" + name))
        #expect(place.offset == 13 && place.lines == 1)
    }

    @Test func `a place that cannot be stored is told once, and stored when that is possible`() throws {
        try folder.write("no folder", to: "state")
        try folder.write(lines("a"), to: "in.ndjson")
        let file = try followed()
        var input = file.begin(on: ReadingTerms(maximumLineBytes: 1_000, stop: nil))
        #expect(try read(&input) == ["a"])
        #expect(file.note(input) == .zero)
        let sentence = try #require(file.saveTellingOnce())
        #expect(
            sentence.hasPrefix("\(path): its read position cannot be saved in \(memory)/tail-")
                && sentence.hasSuffix(": Not a directory; the next run may read lines again"), "\(sentence)")
        // It is tried again, after a while.
        #expect(file.note(input).map { $0 > .zero } == true)
        #expect(file.saveTellingOnce() == nil)
        // Whoever has to know is told each time.
        #expect(file.save() == sentence)
        FileSystem.remove(folder("state"))
        #expect(file.end() == nil)
        file.changes.close()
        #expect(try readAndEnd() == [])
    }

    @Test func `a file that was renamed meanwhile is read to its end first`() throws {
        try folder.write(lines("a"), to: "in.ndjson")
        #expect(try readAndEnd() == ["a"])
        try folder.write(lines("a", "b"), to: "in.ndjson")
        try FileSystem.rename(path, to: folder("in.ndjson.1"))
        try folder.write(lines("c"), to: "in.ndjson")
        let file = try followed()
        let terms = ReadingTerms(maximumLineBytes: 1_000, stop: nil)
        var old = file.begin(on: terms)
        let rest = try read(&old)
        #expect(rest == ["b"])
        #expect(file.next(after: 13) == .rest)
        #expect(file.next(after: 13) == .other)
        var new = file.begin(on: terms)
        let more = try read(&new)
        #expect(more == ["c"])
        #expect(file.next(after: 13) == .none)
        #expect(file.end() == nil)
        file.changes.close()
    }

    @Test func `a file that became shorter than what was read is another one`() throws {
        try folder.write(lines("a", "b"), to: "in.ndjson")
        let file = try followed()
        var input = file.begin(on: ReadingTerms(maximumLineBytes: 1_000, stop: nil))
        let types = try read(&input)
        #expect(types == ["a", "b"])
        #expect(file.next(after: 26) == .none)
        try FileSystem.setSize(25, of: path)
        #expect(file.next(after: 26) == .other)
        #expect(file.end() == nil)
        file.changes.close()
    }

    @Test func `changes of the folder are seen, also of one that a link leads to`() throws {
        let real = try folder.makeFolder("real")
        try FileSystem.write(Array(lines("a").utf8), to: real + "/in.ndjson")
        try FileSystem.link(path, to: real + "/in.ndjson")
        let file = try followed()
        #expect(!file.changes.take())
        try FileSystem.write(Array(lines("a", "b").utf8), to: real + "/in.ndjson")
        #expect(file.changes.take())
        #expect(!file.changes.take())
        try folder.write("", to: "another")
        #expect(file.changes.take())
        file.changes.close()
    }

    @Test func `a folder that is not there is refused with the system's reason`() {
        #expect(throws: GatehouseSupport.SystemFailure.self) {
            try FollowedFile(folder("no/in.ndjson"), rememberingIn: nil)
        }
    }
}
