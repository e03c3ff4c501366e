// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct SparseCopyTests {
    private let folder: TemporaryFolder
    /// How many bytes are read at a time.
    private static let stretch = 16_384

    init() throws { folder = try TemporaryFolder() }

    /// Lends a copy of a file of ones that ends amidst its fourth stretch.
    private func withCopy(_ body: (SparseCopy, UnsafeRawBufferPointer) throws -> Void) throws {
        let ones = [UInt8](repeating: 1, count: 3 * Self.stretch + 100)
        let path = try folder.write(ones, to: "file")
        try unsafe SystemFile.withSparseCopy(of: path) { copy, bytes in
            Result { unsafe try body(copy, bytes) }
        }.get()
    }

    /// Which stretches, whole and without a byte beside them, are there.
    private func stretches(of bytes: UnsafeRawBufferPointer) -> [UInt8?] {
        stride(from: 0, to: bytes.count, by: Self.stretch).map { start in
            let part = unsafe bytes[start..<min(start + Self.stretch, bytes.count)]
            guard let first = unsafe part.first, unsafe part.allSatisfy({ $0 == first }) else { return nil }
            return first
        }
    }

    @Test func `the stretches that a range touches are read, and no others`() throws {
        let last = 3 * Self.stretch + 100
        for (range, expected) in [
            (0..<0, [0, 0, 0, 0]), (0..<1, [1, 0, 0, 0]), (Self.stretch - 1..<Self.stretch, [1, 0, 0, 0]),
            (Self.stretch..<Self.stretch + 1, [0, 1, 0, 0]),
            (Self.stretch - 1..<Self.stretch + 1, [1, 1, 0, 0]),
            (1..<2 * Self.stretch + 1, [1, 1, 1, 0]), (last - 1..<last, [0, 0, 0, 1]),
            (0..<last, [1, 1, 1, 1]), (last..<last, [0, 0, 0, 0]),
        ] as [(Range<Int>, [UInt8])] {
            try unsafe withCopy { copy, bytes in
                copy.load(range)
                #expect(unsafe stretches(of: bytes) == expected, "\(range)")
            }
        }
    }

    @Test func `what was read once is not read again`() throws {
        try unsafe withCopy { copy, bytes in
            copy.load(0..<1)
            copy.load(Self.stretch..<Self.stretch + 1)
            try folder.write([UInt8](repeating: 2, count: 3 * Self.stretch + 100), to: "file")
            copy.load(Self.stretch..<Self.stretch + 1)
            copy.load(0..<1)
            copy.load(2 * Self.stretch..<2 * Self.stretch + 1)
            #expect(unsafe stretches(of: bytes) == [1, 1, 2, 0])
        }
    }

    @Test func `what a file has lost is zeros`() throws {
        try unsafe withCopy { copy, bytes in
            try FileSystem.setSize(Self.stretch + 10, of: folder("file"))
            copy.load(0..<3 * Self.stretch)
            #expect(bytes.count == 3 * Self.stretch + 100)
            #expect(unsafe bytes.prefix(Self.stretch + 10).allSatisfy { $0 == 1 })
            #expect(unsafe bytes.dropFirst(Self.stretch + 10).allSatisfy { $0 == 0 })
        }
    }

    @Test func `a file is open as long as its bytes are lent, and no longer`() throws {
        let path = try folder.write("text", to: "file")
        let identity = try #require(SystemFile.identity(path))
        func openings() -> Int {
            FileSystem.names(in: "/proc/self/fd")
                .count { SystemFile.identity("/proc/self/fd/\($0)") == identity }
        }
        let meanwhile = try unsafe SystemFile.withSparseCopy(of: path) { _, _ in openings() }
        #expect(meanwhile == 1)
        #expect(openings() == 0)
    }

    @Test func `an empty file has no bytes, and a missing one is told`() throws {
        let path = try folder.write("", to: "empty")
        let count = try unsafe SystemFile.withSparseCopy(of: path) { copy, bytes in
            copy.load(0..<0)
            return bytes.count
        }
        #expect(count == 0)
        #expect(throws: LibraryFileError.missing(path: folder("none"))) {
            try unsafe SystemFile.withSparseCopy(of: folder("none")) { _, _ in }
        }
    }
}
