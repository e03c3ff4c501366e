// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct FileTrustTests {
    private let trust = FileTrust(isStrict: false)
    private let strict = FileTrust(isStrict: true)

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
}
