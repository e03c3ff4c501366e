// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ThreadLocalStorageTests {
    /// What is said of a library with other thread-local storage.
    private func error(_ change: (inout RawLibrary.Segment) -> Void) -> ELFError? {
        RawLibrary().error { change(&$0.storage) }
    }

    @Test func `up to 16 MiB are accepted`() {
        #expect(error { $0.memorySize = 16 << 20 } == nil)
        #expect(
            error { $0.memorySize = 16 << 20 + 1 }
                == .excessive(.threadLocal, limit: 16 << 20, found: 16 << 20 + 1))
    }

    @Test func `all bytes of the file have room in memory`() {
        #expect(error { $0.memorySize = 16 } == nil)
        #expect(
            error { $0.memorySize = 15 }
                == .mismatch(.threadLocal, expected: "at most 15 bytes of the file", found: "16"))
    }

    @Test func `an alignment is none or a power of two, at most a mebibyte`() {
        for alignment in [0, 1, 2, 64, 1 << 20] as [UInt64] {
            #expect(error { $0.alignment = alignment } == nil)
        }
        for alignment in [3, 6, 1 << 20 - 1] as [UInt64] {
            #expect(
                error { $0.alignment = alignment }
                    == .mismatch(
                        .threadLocal, expected: "an alignment that is a power of two", found: "\(alignment)")
            )
        }
        for alignment in [1 << 20 + 1, 1 << 21] as [UInt64] {
            #expect(
                error { $0.alignment = alignment }
                    == .excessive(.threadLocal, limit: 1 << 20, found: alignment))
        }
    }

    @Test func `the bytes lie in one loaded segment`() {
        #expect(error { $0.address = 0x4000 - 16 } == nil)
        #expect(
            error { $0.address = 0x4000 - 15 } == .unmapped(.threadLocal, address: 0x4001))
        #expect(error { $0.address = 0x4000 } == .unmapped(.threadLocal, address: 0x4000))
        // Zeros are nowhere.
        #expect(error { ($0.address, $0.fileSize) = (0x9000, 0) } == nil)
        #expect(error { ($0.address, $0.fileSize) = (0x9000, 1) } == .unmapped(.threadLocal, address: 0x9000))
    }

    @Test func `the last of several counts, and none is needed`() {
        let last = RawLibrary.Segment(kind: 7, address: 0x9000, fileSize: 1, memorySize: 1)
        #expect(RawLibrary(others: [last]).error == .unmapped(.threadLocal, address: 0x9000))
        #expect(RawLibrary(others: [.init(kind: 7)]).error { $0.storage.address = 0x9000 } == nil)
        #expect(
            error {
                $0.kind = 0x6fff_0000
                $0.address = 0x9000
            } == nil)
    }
}
