// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct OpenedFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file is opened also where it gets the descriptor of an input that was closed`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            close(STDIN_FILENO)
            exit(try SystemFile.openRegular("/proc/self/exe").descriptor == STDIN_FILENO ? 7 : 2)
        }
    }

    /// Opens a file, and gives its size.
    private func size(of path: String, following: Bool = true) throws -> Int {
        let (descriptor, status) = try SystemFile.openRegular(path, following: following)
        close(descriptor)
        return Int(status.st_size)
    }

    @Test func `only a plain file is opened, behind a link where that is wanted`() throws {
        let path = try folder.write("text", to: "file")
        try FileSystem.link(folder("link"), to: "file")
        #expect(try size(of: path) == 4)
        #expect(try size(of: path, following: false) == 4)
        #expect(try size(of: folder("link")) == 4)
        #expect(throws: LibraryFileError.notARegularFile(path: folder("link"))) {
            try size(of: folder("link"), following: false)
        }
        #expect(throws: LibraryFileError.notARegularFile(path: folder.path)) { try size(of: folder.path) }
    }

    @Test func `what is missing is told as such, and anything else with the system's word`() throws {
        try folder.write("", to: "file")
        for name in ["none", "file/none"] {
            #expect(throws: LibraryFileError.missing(path: folder(name))) { try size(of: folder(name)) }
        }
        try FileSystem.link(folder("circle"), to: "circle")
        #expect(
            throws: LibraryFileError.system(
                path: folder("circle"), call: "open", reason: "Too many levels of symbolic links")
        ) { try size(of: folder("circle")) }
    }

    @Test func `the target of a link is what it says`() throws {
        let long = String(repeating: "long/", count: 100)
        try FileSystem.link(folder("link"), to: long)
        #expect(try SystemFile.target(of: folder("link")) == long)
        #expect(
            throws: LibraryFileError.system(
                path: folder("none"), call: "readlink", reason: "No such file or directory")
        ) { try SystemFile.target(of: folder("none")) }
    }
}
