// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
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
}
