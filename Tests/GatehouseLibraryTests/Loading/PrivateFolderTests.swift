// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct PrivateFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens a folder in the temporary one.
    private func open(_ name: String) throws -> PrivateFolder {
        try PrivateFolder(name, below: folder.path, trust: FileTrust(isStrict: false)) { _ in }
    }

    @Test func `a folder that is there is opened with what is in it`() throws {
        _ = try open("images").folder("first")
        let images = try open("images")
        #expect(images.names == ["first"])
        #expect(try images.folder("first").path == folder("images/first"))
    }

    @Test func `a folder that cannot be made is refused with the system's reason`() throws {
        #expect(throws: Self.refusal(folder("none/images"))) { try open("none/images") }
        let images = try open("images")
        FileSystem.removeFolder(folder("images"))
        #expect(images.isGone)
        #expect(throws: Self.refusal(folder("images/first"))) { try images.folder("first") }
    }

    /// What is said of a folder that would stand in none.
    private static func refusal(_ path: String) -> ImageStoreError {
        .file(.system(path: path, call: "mkdir", reason: "No such file or directory"))
    }

    @Test func `a folder is removed with the folders in it, and without what links lead to`() throws {
        let images = try open("images")
        _ = try images.folder("first").folder("inner").folder("deep")
        try folder.write("kept", to: "outside")
        try folder.write("", to: "images/first/inner/deep/libside.so")
        try FileSystem.link(folder("images/first/link"), to: folder.path)
        images.removeFolder("first")
        #expect(images.names == [])
        #expect(FileSystem.names(in: folder.path) == ["images", "outside"])
    }

    @Test func `it is this user's alone, whatever it was before`() throws {
        #expect(try FileSystem.mode(of: open("images").path) == 0o700)
        for mode in [0o777, 0o1700, 0o500] as [UInt32] {
            try FileSystem.setMode(mode, of: folder("images"))
            _ = try open("images")
            #expect(try FileSystem.mode(of: folder("images")) == 0o700)
        }
        #expect(try FileSystem.mode(of: open("images").folder("inner").path) == 0o700)
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
    func `a folder of somebody else is refused`() throws {
        let path = try folder.makeFolder("images")
        try FileSystem.setOwner(12_345, of: path)
        #expect(throws: ImageStoreError.foreign(path: path, owner: 12_345)) { try open("images") }
    }

    @Test func `missing folders above it are made, and links in them resolved`() throws {
        let made = try PrivateFolder("images", below: folder("one/two"), trust: FileTrust(isStrict: false)) {
            Issue.record("warned: \($0)")
        }
        #expect(made.path == folder("one/two/images"))
        #expect(try FileSystem.mode(of: folder("one")) == 0o700)
        try FileSystem.link(folder("link"), to: "one")
        let linked = try PrivateFolder("images", below: folder("link/two"), trust: FileTrust(isStrict: true))
        {
            Issue.record("warned: \($0)")
        }
        #expect(linked.path == folder("one/two/images"))
    }

    @Test func `folders above it are judged`() throws {
        try FileSystem.setMode(0o770, of: folder.path)
        var warnings: [String] = []
        _ = try PrivateFolder("images", below: folder.path, trust: FileTrust(isStrict: false)) {
            warnings.append($0)
        }
        #expect(
            warnings == [
                "\(folder.path): its group may write to it (mode 770); take that away with chmod g-w"
            ])
        let mode = UInt32(S_IFDIR | 0o770)
        #expect(throws: ImageStoreError.file(.groupWritable(path: folder.path, mode: mode))) {
            try PrivateFolder("images", below: folder.path, trust: FileTrust(isStrict: true)) { _ in }
        }
        let file = try folder.write("", to: "file")
        #expect(throws: ImageStoreError.file(.notAFolder(path: file))) {
            try PrivateFolder("images", below: file, trust: FileTrust(isStrict: false)) { _ in }
        }
    }

    @Test func `what is no folder is not opened as one`() throws {
        try folder.write("", to: "images")
        #expect(throws: ImageStoreError.file(.notAFolder(path: folder("images")))) { try open("images") }
        let outer = try open("outer")
        try folder.write("", to: "outer/file")
        try FileSystem.link(folder("outer/link"), to: folder.path)
        for name in ["file", "link"] {
            #expect(throws: ImageStoreError.file(.notAFolder(path: folder("outer/\(name)")))) {
                try outer.folder(name)
            }
        }
        #expect(
            throws: ImageStoreError.file(
                .system(
                    path: folder("outer/") + String(repeating: "n", count: 256), call: "open",
                    reason: "File name too long"))
        ) { try outer.folder(String(repeating: "n", count: 256)) }
    }

    @Test func `it knows when it and its entries were changed`() throws {
        let inner = try open("images").folder("inner")
        #expect(inner.changed > 0)
        try FileSystem.setAge(days: 3, of: inner.path)
        let images = try open("images")
        let again = try images.folder("inner")
        #expect((2 * 86_400...4 * 86_400).contains(inner.changed - again.changed))
        #expect(images.changed("inner") == again.changed)
        #expect(images.changed("none") == nil)
        #expect(!images.isGone)
        // A link has a time of its own.
        try FileSystem.link(folder("images/link"), to: "inner")
        #expect(try #require(images.changed("link")) > again.changed)
    }

    @Test func `names are read each time, and of what is gone there are none`() throws {
        let images = try open("images")
        #expect(images.names == [])
        try folder.write("", to: "images/one")
        #expect(images.names == ["one"])
        #expect(images.names == ["one"])
        FileSystem.removeFolder(images.path)
        #expect(images.names == [])
    }

    @Test func `a file in place of a folder is not removed as one`() throws {
        let images = try open("images")
        try folder.write("kept", to: "images/file")
        images.removeFolder("file")
        #expect(images.names == ["file"])
        images.removeFolder("none")
        #expect(images.names == ["file"])
    }
}
