// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseHost
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The file of a black box, from one host to the next.
@Suite(.timeLimit(.minutes(10))) struct BlackBoxFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder("host.box") }

    /// Lets a host have the file and end without a word.
    private func leave() throws {
        let file = try #require(BlackBoxFile(path: path))
        #expect(file.left == nil)
        _ = BlackBox(in: file.descriptor)
    }

    @Test func `what a host has left is told to the next one, once`() throws {
        try leave()
        let next = try #require(BlackBoxFile(path: path))
        #expect(next.left?.process == getpid())
        #expect(next.left?.death == nil)
        #expect(next.left?.activity == nil)
        #expect(SystemFile.status(path)?.st_size == BlackBox.byteCount)
    }

    @Test func `a file that is a byte too short for a box says nothing, and gets its size`() throws {
        try leave()
        try FileSystem.setSize(BlackBox.byteCount - 1, of: path)
        let next = try #require(BlackBoxFile(path: path))
        #expect(next.left == nil)
        #expect(SystemFile.status(path)?.st_size == BlackBox.byteCount)
    }

    @Test func `one host at a time has the file, and only its owner may read it`() throws {
        let first = try #require(BlackBoxFile(path: path))
        #expect(BlackBoxFile(path: path) == nil)
        #expect(try FileSystem.mode(of: path) == 0o600)
        first.remove()
        #expect(BlackBoxFile(path: path) != nil)
    }
}
