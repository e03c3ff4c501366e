// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Synchronization
import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct SystemFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [false, true])
    func `a file that is replaced has the new content, and none is left beside it`(isLasting: Bool) throws {
        let path = try folder.write("old", to: "notes")
        try SystemFile.replace(path, with: Array("new".utf8), isLasting: isLasting)
        #expect(try folder.read("notes") == "new")
        #expect(FileSystem.names(in: folder.path) == ["notes"])
    }

    @Test func `where no file can be put everything stays as it was, which is told`() throws {
        let path = try folder.makeFolder("notes")
        #expect(throws: SystemFailure(code: EISDIR)) {
            try SystemFile.replace(path, with: Array("new".utf8), isLasting: false)
        }
        #expect(FileSystem.names(in: folder.path) == ["notes"])
    }

    @Test(arguments: ["create", "write", "sync", "rename", "folder"])
    func `whichever call of a replacement fails, a file has one content whole, and none is left beside it`(
        call: String
    ) throws {
        let path = try folder.write("old", to: "notes")
        var disk = DiskCalls.system
        let fail: @Sendable () -> Int32 = {
            errno = EDQUOT
            return -1
        }
        switch call {
        case "create": disk.create = { _, _ in fail() }
        case "write": disk.write = { _, _, _, _ in Int(fail()) }
        case "sync": disk.sync = { _, _ in fail() }
        case "rename": disk.rename = { _, _ in fail() }
        default: disk.syncFolder = { _ in fail() }
        }
        #expect(throws: SystemFailure(code: EDQUOT)) {
            try SystemFile.replace(path, with: Array("new".utf8), isLasting: true, by: disk)
        }
        #expect(try folder.read("notes") == (call == "folder" ? "new" : "old"))
        #expect(FileSystem.names(in: folder.path) == ["notes"])
    }

    @Test func `a replacement goes on after an interruption, and after a write of a part`() throws {
        let calls = Mutex<[String]>([])
        var disk = DiskCalls.system
        disk.write = { file, path, bytes, place in
            let count = calls.withLock { calls in
                calls.append("write at \(place)")
                return calls.count
            }
            guard count != 2 else {
                errno = EINTR
                return -1
            }
            return DiskCalls.system.write(file, path, Array(bytes.prefix(3)), place)
        }
        disk.sync = { file, path in
            calls.withLock { $0.append("sync") }
            return DiskCalls.system.sync(file, path)
        }
        disk.rename = { path, other in
            calls.withLock { $0.append("rename") }
            return DiskCalls.system.rename(path, other)
        }
        let whole = folder.path
        disk.syncFolder = { path in
            calls.withLock { $0.append(path == whole ? "sync the folder" : path) }
            return DiskCalls.system.syncFolder(path)
        }
        try SystemFile.replace(folder("notes"), with: Array("content".utf8), isLasting: true, by: disk)
        #expect(try folder.read("notes") == "content")
        #expect(
            calls.withLock { $0 } == [
                "write at 0", "write at 3", "write at 3", "write at 6", "sync", "rename", "sync the folder",
            ])
    }

    @Test func `a file for which there is no room says so, and one that need not last is not synced`() throws
    {
        var disk = DiskCalls.system
        disk.sync = { _, _ in -1 }
        disk.syncFolder = { _ in -1 }
        try SystemFile.replace(folder("notes"), with: [1], isLasting: false, by: disk)
        #expect(try FileSystem.read(folder("notes")) == [1])
        disk.write = { _, _, _, _ in 0 }
        errno = 0
        #expect(throws: SystemFailure(code: ENOSPC)) {
            try SystemFile.replace(folder("notes"), with: [2], isLasting: false, by: disk)
        }
        #expect(try FileSystem.read(folder("notes")) == [1])
    }

    @Test func `the names of a folder that nobody may open count as synced`() {
        #expect(DiskCalls.system.syncFolder(folder.path) == 0)
        #expect(DiskCalls.system.syncFolder(folder("none")) == 0)
        // What has no disk answers that it cannot be synced.
        #expect(DiskCalls.system.syncFolder("/proc") == 0)
    }

    // MARK: - Reading

    @Test func `a file is read up to its limit, and no further`() throws {
        let bytes = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = try folder.write(bytes, to: "long")
        #expect(try SystemFile.bytes(of: path, limit: 70_000) == bytes)
        #expect(throws: SystemFile.ReadingError.tooLarge(limit: 69_999)) {
            try SystemFile.bytes(of: path, limit: 69_999)
        }
        #expect(try SystemFile.bytes(of: folder.write("", to: "empty"), limit: 0) == [])
    }

    @Test func `what cannot be read is told with the system's number`() throws {
        #expect(throws: SystemFile.ReadingError.system(code: ENOENT)) {
            try SystemFile.bytes(of: folder("none"), limit: 1)
        }
        #expect(throws: SystemFile.ReadingError.system(code: EISDIR)) {
            try SystemFile.bytes(of: folder.path, limit: 1)
        }
        #expect(SystemFile.ReadingError.system(code: EISDIR).description == "Is a directory")
        #expect(
            SystemFile.ReadingError.tooLarge(limit: 7).description
                == "it has more than 7 bytes, and no more are read")
    }

    @Test func `a pipe without a writer is empty`() throws {
        try FileSystem.makePipe(folder("pipe"))
        #expect(try SystemFile.bytes(of: folder("pipe"), limit: 1) == [])
    }

    @Test func `a status is that of a link, an identity that of what it leads to`() throws {
        let path = try folder.write("text", to: "file")
        try FileSystem.link(folder("link"), to: "file")
        #expect(SystemFile.status(path)?.st_size == 4)
        #expect(SystemFile.status(folder("link")).map { $0.st_mode & S_IFMT } == S_IFLNK)
        #expect(SystemFile.status(folder("none")) == nil)
        #expect(SystemFile.identity(folder("link"))?.number == UInt(try FileSystem.identity(of: path)))
        #expect(SystemFile.identity(folder("link")) == SystemFile.identity(path))
        #expect(SystemFile.identity(folder.path) != SystemFile.identity(path))
        #expect(SystemFile.identity(folder("none")) == nil)
    }

    @Test func `a folder's names are those of its contents`() throws {
        for name in ["...", ".hidden", "plain"] { try folder.write("", to: name) }
        #expect(Set(SystemFile.names(inFolder: folder.path)) == ["...", ".hidden", "plain"])
        #expect(SystemFile.names(inFolder: folder("none")) == [])
    }

    @Test func `a name that is not UTF-8 is shown with its bytes`() {
        func shown(_ bytes: [UInt8]) -> String {
            let name = (bytes + [0]).map { CChar(bitPattern: $0) }
            return unsafe name.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress else { return "" }
                return unsafe SystemFile.shown(start)
            }
        }
        #expect(shown([0x61, 0xff, 0x80, 0x7f, 0x62]) == "a\\xFF\\x80\u{7f}b")
        #expect(shown(Array("grün".utf8)) == "grün")
        #expect(shown([]) == "")
    }

    @Test(
        arguments: [
            ("name", ".", "name"), ("/name", "/", "name"), ("/folder/name", "/folder", "name"),
            ("folder/name", "folder", "name"), ("folder/", "folder", ""), ("", ".", ""),
        ] as [(String, String, String)])
    func `a path has a folder and a name`(path: String, folder: String, name: String) {
        #expect(SystemFile.parts(of: path) == (folder, name))
    }

    @Test func `the process knows its folder, its owner and its environment`() throws {
        #expect(SystemFile.currentFolder.hasPrefix("/"))
        #expect(SystemFile.identity(SystemFile.currentFolder) == SystemFile.identity("."))
        #expect(SystemFile.isTrusted(owner: 0))
        #expect(SystemFile.isTrusted(owner: geteuid()))
        #expect(!SystemFile.isTrusted(owner: geteuid() + 1))
        let path = try #require(SystemFile.variable("PATH"))
        #expect(SystemFile.environment.contains("PATH=\(path)"))
        #expect(SystemFile.variable("GATEHOUSE_HAS_NO_SUCH_VARIABLE") == nil)
    }

    @Test func `a process has a state and a parent, and one that is gone has nothing`() throws {
        let status = SystemFile.processStatus(getpid())
        #expect(try #require(status.first).count == 1)
        #expect(status.dropFirst().first == "\(getppid())")
        #expect(SystemFile.processStatus(-1) == [])
    }

    // MARK: - Writing

    @Test func `a file is replaced for its owner alone, whatever was left beside it`() throws {
        let path = try folder.write("old", to: "notes")
        try FileSystem.setMode(0o666, of: path)
        try folder.write("left", to: "notes.new")
        try SystemFile.replace(path, with: Array("new".utf8), isLasting: true)
        #expect(try folder.read("notes") == "new")
        #expect(try FileSystem.mode(of: path) == 0o600)
        #expect(FileSystem.names(in: folder.path) == ["notes"])
    }

    @Test func `a file is not replaced in a folder that is missing`() {
        #expect(throws: SystemFailure(code: ENOENT)) {
            try SystemFile.replace(folder("none/notes"), with: [1], isLasting: true)
        }
        #expect(SystemFailure(code: ENOENT).description == "No such file or directory")
    }

    @Test func `a folder is made for its owner alone, once`() throws {
        try SystemFile.makeFolder(folder("made"))
        #expect(try FileSystem.mode(of: folder("made")) == 0o700)
        try FileSystem.setMode(0o750, of: folder("made"))
        try SystemFile.makeFolder(folder("made"))
        #expect(try FileSystem.mode(of: folder("made")) == 0o750)
        #expect(throws: SystemFailure(code: ENOENT)) { try SystemFile.makeFolder(folder("none/made")) }
    }

    @Test func `a folder is told from a file, and from what is not there`() throws {
        #expect(SystemFile.isFolder(folder.path))
        #expect(!SystemFile.isFolder(try folder.write("", to: "file")))
        #expect(!SystemFile.isFolder(folder("none")))
    }

    @Test func `files are made private, as far as they are there`() throws {
        let paths = try ["one", "two"].map { try folder.write("", to: $0) }
        SystemFile.makePrivate([paths[0], folder("none"), paths[1]])
        for path in paths { #expect(try FileSystem.mode(of: path) == 0o600) }
    }

    @Test func `a file is created privately, and left alone where it exists`() throws {
        try SystemFile.createPrivately(folder("made"))
        #expect(try FileSystem.mode(of: folder("made")) == 0o600)
        let path = try folder.write("text", to: "there")
        try SystemFile.createPrivately(path)
        #expect(try folder.read("there") == "text")
        #expect(try FileSystem.mode(of: path) == 0o644)
        #expect(throws: SystemFailure(code: ENOENT)) { try SystemFile.createPrivately(folder("none/made")) }
    }

    @Test func `a file is created with its bytes, and not over another`() throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try SystemFile.create(folder("made"), with: bytes)
        #expect(try FileSystem.read(folder("made")) == bytes)
        #expect(try FileSystem.mode(of: folder("made")) & 0o444 == 0o444)
        #expect(throws: SystemFailure(code: EEXIST)) { try SystemFile.create(folder("made"), with: [1]) }
        #expect(try FileSystem.read(folder("made")) == bytes)
    }

    @Test func `a file is written also where it gets the descriptor of an input that was closed`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let folder = try TemporaryFolder()
            close(STDIN_FILENO)
            try SystemFile.replace(folder("replaced"), with: [1], isLasting: true)
            try SystemFile.createPrivately(folder("private"))
            try SystemFile.create(folder("created"), with: [2])
            let contents = try ["replaced", "private", "created"].map { try FileSystem.read(folder($0)) }
            FileSystem.removeFolder(folder.path)
            exit(contents == [[1], [], [2]] ? 7 : 2)
        }
    }

    @Test func `bytes that do not fit into a file are told`() throws {
        #expect(SystemFile.write([], to: -1))
        #expect(!SystemFile.write([1], to: -1))
        #expect(errno == EBADF)
        let full = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        #expect(!SystemFile.write([1], to: full))
        #expect(throws: SystemFailure(code: ENOSPC)) {
            if !SystemFile.write([1], to: full) { throw SystemFailure.last }
        }
    }
}
