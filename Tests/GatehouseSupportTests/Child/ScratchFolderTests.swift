// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseSupport

/// Folders of children, which go with all that plugins have left in them.
@Suite(.timeLimit(.minutes(10))) struct ScratchFolderTests {
    /// Makes folders in each other; each is entered by its descriptor, because no path is that long.
    private func dig(_ depth: Int, in path: String) {
        var folder = unsafe open(path, O_RDONLY | O_DIRECTORY)
        for _ in 0..<depth {
            unsafe mkdirat(folder, "deeper", 0o700)
            let next = unsafe openat(folder, "deeper", O_RDONLY | O_DIRECTORY)
            close(folder)
            folder = next
        }
        unsafe close(openat(folder, "file", O_WRONLY | O_CREAT, 0o600))
        close(folder)
    }

    @Test func `a tree of any depth goes, and nothing that a link in it names`() throws {
        let outside = try TemporaryFolder()
        try outside.write("precious", to: "victim")
        var path = ""
        do {
            let scratch = try ScratchFolder()
            path = scratch.path
            dig(3_000, in: path)
            dig(10, in: path)
            // Names that the removal would choose itself.
            for number in 1...3 {
                try FileSystem.makeFolder(path + "/gatehouse-moved-\(number)")
                try FileSystem.write([], to: path + "/gatehouse-moved-\(number)/file")
            }
            for link in [path + "/link", path + "/gatehouse-moved-1/link"] {
                #expect(unsafe symlink(outside.path, link) == 0)
            }
            // Folders whose owner has taken the rights to them from himself.
            for (number, mode) in [0, 0o300, 0o500].enumerated() {
                let closed = path + "/closed-\(number)"
                try FileSystem.makeFolder(closed)
                dig(2, in: closed)
                try FileSystem.setMode(UInt32(mode), of: closed + "/deeper")
                try FileSystem.setMode(UInt32(mode), of: closed)
            }
        }
        #expect(SystemFile.status(path) == nil)
        #expect(try FileSystem.read(outside("victim")) == Array("precious".utf8))
    }
}
