// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct FileTrustTests {
    private let trust = FileTrust(isStrict: false)
    private let strict = FileTrust(isStrict: true)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `files of root and of this user are trusted`() throws {
        #expect(try trust.check(path: "lib.so", owner: 0, mode: 0o755) == nil)
        #expect(try strict.check(path: "lib.so", owner: geteuid(), mode: 0o700) == nil)
    }

    @Test func `a file of somebody else is refused`() {
        let error = #expect(throws: LibraryFileError.self) {
            try trust.check(path: "lib.so", owner: geteuid() + 1, mode: 0o755)
        }
        #expect(
            error?.description
                == "lib.so: belongs to user \(geteuid() + 1), expected root or the user of this process; change its owner with chown"
        )
    }

    @Test func `a folder with the sticky bit may be written by everybody`() throws {
        #expect(try strict.check(path: "/tmp", owner: 0, mode: UInt32(S_IFDIR | 0o1777)) == nil)
        #expect(throws: LibraryFileError.worldWritable(path: "/tmp", mode: UInt32(S_IFDIR | 0o777))) {
            try strict.check(path: "/tmp", owner: 0, mode: UInt32(S_IFDIR | 0o777))
        }
    }

    @Test func `the sticky bit of a file protects nothing`() {
        let mode = UInt32(S_IFREG | 0o1666)
        #expect(throws: LibraryFileError.worldWritable(path: "lib.so", mode: mode)) {
            try trust.check(path: "lib.so", owner: 0, mode: mode)
        }
        #expect(throws: LibraryFileError.groupWritable(path: "lib.so", mode: UInt32(S_IFREG | 0o1664))) {
            try strict.check(path: "lib.so", owner: 0, mode: UInt32(S_IFREG | 0o1664))
        }
    }

    @Test func `a group that may write is told of with the whole mode`() throws {
        #expect(
            try trust.check(path: "lib.so", owner: 0, mode: UInt32(S_IFREG | 0o2664))
                == "lib.so: its group may write to it (mode 2664); take that away with chmod g-w")
        #expect(try strict.check(path: "lib.so", owner: 0, mode: UInt32(S_IFREG | 0o7755)) == nil)
    }

    // MARK: - On the way

    @Test func `only a link is followed, and anything else is judged where it is`() throws {
        let path = try folder.write("", to: "lib.so")
        try FileSystem.link(folder("link.so"), to: "lib.so")
        #expect(try trust.follow(path) == (path, []))
        #expect(try trust.follow(folder("none.so")) == (folder("none.so"), []))
        #expect(try trust.follow(folder("link.so")) == (path, []))
        try FileSystem.setMode(0o666, of: path)
        #expect(throws: LibraryFileError.worldWritable(path: path, mode: UInt32(S_IFREG | 0o666))) {
            try trust.follow(path)
        }
        #expect(throws: LibraryFileError.worldWritable(path: path, mode: UInt32(S_IFREG | 0o666))) {
            try trust.follow(folder("link.so"))
        }
    }

    @Test func `a link leads to a plain file, or is refused with what it leads to`() throws {
        try FileSystem.link(folder("none.so"), to: "missing.so")
        try FileSystem.link(folder("folder.so"), to: ".")
        #expect(
            throws: LibraryFileError.behindLink(
                path: folder("none.so"), .missing(path: folder("missing.so")))
        ) { try trust.follow(folder("none.so")) }
        #expect(
            throws: LibraryFileError.behindLink(
                path: folder("folder.so"), .notARegularFile(path: folder.path))
        ) { try trust.follow(folder("folder.so")) }
    }

    @Test func `the folders behind a link are judged`() throws {
        let inner = try folder.makeFolder("inner")
        try folder.write("", to: "inner/lib.so")
        try FileSystem.link(folder("link.so"), to: "inner/lib.so")
        try FileSystem.setMode(0o770, of: inner)
        let warning = "\(inner): its group may write to it (mode 770); take that away with chmod g-w"
        #expect(try trust.follow(folder("link.so")) == (folder("inner/lib.so"), [warning]))
        #expect(
            throws: LibraryFileError.behindLink(
                path: folder("link.so"), .groupWritable(path: inner, mode: UInt32(S_IFDIR | 0o770)))
        ) { try strict.follow(folder("link.so")) }
    }

    @Test func `a file is judged with everything above it`() throws {
        let path = try folder.write("text", to: "lib.so")
        let found = try trust.judge(path)
        #expect(found.status.st_size == 4)
        #expect(found.warnings == [])
        try FileSystem.setMode(0o664, of: path)
        try FileSystem.setMode(0o770, of: folder.path)
        let warning = { (path: String, mode: String) in
            "\(path): its group may write to it (mode \(mode)); take that away with chmod g-w"
        }
        #expect(try trust.judge(path).warnings == [warning(folder.path, "770"), warning(path, "664")])
        #expect(throws: LibraryFileError.missing(path: folder("none"))) { try trust.judge(folder("none")) }
        #expect(throws: LibraryFileError.notARegularFile(path: folder.path)) {
            try trust.judge(folder.path)
        }
        #expect(throws: LibraryFileError.self) { try strict.judge(path) }
    }
}
