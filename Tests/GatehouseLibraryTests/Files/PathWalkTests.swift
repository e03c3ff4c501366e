// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct PathWalkTests {
    private let folder: TemporaryFolder
    private let trust = FileTrust(isStrict: false)
    private let strict = FileTrust(isStrict: true)

    init() throws { folder = try TemporaryFolder() }

    /// Walks from the temporary folder.
    private func walk(_ path: String, isStrict: Bool = false) throws -> PathWalk {
        try PathWalk(path, from: folder.path, trust: isStrict ? strict : trust)
    }

    @Test func `it ends where the path leads, without links and points`() throws {
        _ = try folder.makeFolder("one")
        let path = try folder.write("text", to: "one/file")
        try FileSystem.link(folder("relative"), to: "./one")
        try FileSystem.link(folder("absolute"), to: folder("one"))
        for way in ["one/file", "./one//./file", "relative/file", "absolute/file"] {
            let walk = try walk(way)
            #expect(walk.place == path)
            #expect(walk.status?.st_size == 4)
            #expect(walk.warnings == [])
        }
        let whole = try PathWalk(folder("absolute/file"), trust: trust)
        #expect(whole.place == path)
        #expect(whole.status?.st_size == 4)
        #expect(try PathWalk("/", trust: trust).place == "/")
        #expect(try PathWalk("/tmp/.", trust: trust).place == "/tmp")
        #expect(try walk("").place == folder.path)
    }

    @Test func `a relative path begins in the current folder`() throws {
        let walk = try PathWalk("Package.swift", trust: trust)
        #expect(SystemFile.identity(walk.place) == SystemFile.identity("Package.swift"))
        #expect(walk.place.hasPrefix("/"))
    }

    @Test func `it ends with the first name that does not exist`() throws {
        let walk = try walk("none/file")
        #expect(walk.place == folder("none"))
        #expect(walk.status == nil)
    }

    @Test func `names after a file lead nowhere`() throws {
        try folder.write("", to: "file")
        #expect(try walk("file").status != nil)
        let behind = try walk("file/more")
        #expect(behind.place == folder("file"))
        #expect(behind.status == nil)
    }

    @Test func `what cannot be looked at is told`() throws {
        let long = String(repeating: "n", count: 256)
        #expect(
            throws: LibraryFileError.system(
                path: folder(long), call: "lstat", reason: "File name too long")
        ) { try walk(long) }
    }

    @Test func `forty links are followed, as by the system, and no more`() throws {
        try folder.write("text", to: "link0")
        for number in 1...41 { try FileSystem.link(folder("link\(number)"), to: "link\(number - 1)") }
        #expect(try walk("link40").status?.st_size == 4)
        #expect(
            throws: LibraryFileError.behindLink(
                path: folder("link41"),
                .system(
                    path: folder("link1"), call: "open", reason: "Too many levels of symbolic links"))
        ) { try walk("link41") }
    }

    @Test func `an error is one behind the first link, if there is any`() throws {
        let inner = try folder.makeFolder("inner")
        try FileSystem.setMode(0o777, of: inner)
        let error = LibraryFileError.worldWritable(path: inner, mode: UInt32(S_IFDIR | 0o777))
        try FileSystem.link(folder("second"), to: "inner")
        try FileSystem.link(folder("first"), to: "second")
        #expect(throws: error) { try walk("inner/file") }
        #expect(throws: LibraryFileError.behindLink(path: folder("first"), error)) { try walk("first") }
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `a link of somebody else is not followed`() throws {
        try folder.write("", to: "file")
        try FileSystem.link(folder("link"), to: "file")
        #expect(unsafe lchown(folder("link"), 12_345, .max) == 0)
        #expect(throws: LibraryFileError.foreignOwner(path: folder("link"), owner: 12_345)) {
            try walk("link")
        }
    }

    @Test func `what is another folder in each process is refused`() throws {
        try FileSystem.link(folder("link"), to: "/proc/self/exe")
        #expect(throws: LibraryFileError.processFolder(path: "/proc")) {
            try PathWalk("/proc/self/exe", trust: trust)
        }
        #expect(throws: LibraryFileError.behindLink(path: folder("link"), .processFolder(path: "/proc"))) {
            try walk("link")
        }
    }

    @Test func `each warning comes once`() throws {
        for name in ["one", "two"] {
            _ = try folder.makeFolder(name)
            try FileSystem.setMode(0o770, of: folder(name))
        }
        try FileSystem.link(folder("one/back"), to: folder("two"))
        try FileSystem.link(folder("two/again"), to: folder("one"))
        let warnings = try walk("one/back/again/back").warnings
        #expect(
            warnings.map { String($0.prefix { $0 != ":" }) } == [folder("one"), folder("two")])
    }

    @Test func `a folder is open to others by the last mode on the way`() throws {
        _ = try folder.makeFolder("inner")
        func isOpen(_ mode: UInt32, isStrict: Bool, _ path: String = "inner/file") throws -> Bool {
            try FileSystem.setMode(mode, of: folder("inner"))
            return try walk(path, isStrict: isStrict).isOpen
        }
        try folder.write("", to: "inner/file")
        #expect(try !isOpen(0o755, isStrict: true))
        #expect(try isOpen(0o1777, isStrict: false))
        #expect(try isOpen(0o1777, isStrict: true))
        #expect(try !isOpen(0o1770, isStrict: false))
        #expect(try isOpen(0o1770, isStrict: true))
        _ = try folder.makeFolder("inner/safe")
        #expect(try !isOpen(0o1777, isStrict: true, "inner/safe/file"))
    }
}
