// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseSupport

/// What a child may reach, and how it is told.
@Suite(.timeLimit(.minutes(10))) struct FileAccessTests {
    @Test(arguments: [
        FileAccess(), FileAccess(changing: ["/srv/a b"]), FileAccess(reading: []),
        FileAccess(changing: ["/w", "/r"], reading: ["/etc/ssl/certs", "r", "/"]),
    ])
    func `access reads back the same from the words of a command line`(access: FileAccess) {
        let read = FileAccess(words: access.words[...])
        #expect(read.changed == access.changed)
        // Everything is what is below the root.
        #expect(read.read == access.read ?? ["/"])
    }

    @Test func `a word that is none is nothing, and without words nothing can be read`() {
        #expect(FileAccess(words: ["", "x/etc", "/etc"]) == FileAccess(reading: []))
        #expect(FileAccess(words: []) == FileAccess(reading: []))
    }

    @Test func `what programs read is open to everybody`() {
        for path in FileAccess.ofPrograms {
            guard let status = SystemFile.status(path) else { continue }
            #expect(status.st_mode & 0o004 != 0, "\(path)")
        }
        #expect(FileAccess.ofPrograms.contains { SystemFile.status($0) != nil })
    }
}
