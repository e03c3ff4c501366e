// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
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
}
