// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseReload
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The file of a flight recorder, from one host to the next.
@Suite(.timeLimit(.minutes(10))) struct FlightRecorderFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder("host.box") }

    /// Lets a host have the file and end without a word.
    private func leave() throws {
        let file = try #require(FlightRecorderFile(path: path))
        #expect(file.left == nil)
        _ = FlightRecorder(in: file.descriptor)
    }

    @Test func `what a host has left is told to the next one, once`() throws {
        try leave()
        let next = try #require(FlightRecorderFile(path: path))
        #expect(next.left?.process == getpid())
        #expect(next.left?.death == nil)
        #expect(next.left?.activity == nil)
        #expect(SystemFile.status(path)?.st_size == FlightRecorder.byteCount)
    }

    @Test func `a file that is a byte too short for a flight recorder says nothing, and gets its size`()
        throws
    {
        try leave()
        try FileSystem.setSize(FlightRecorder.byteCount - 1, of: path)
        let next = try #require(FlightRecorderFile(path: path))
        #expect(next.left == nil)
        #expect(SystemFile.status(path)?.st_size == FlightRecorder.byteCount)
    }

    @Test func `one host at a time has the file, and only its owner may read it`() throws {
        let first = try #require(FlightRecorderFile(path: path))
        #expect(FlightRecorderFile(path: path) == nil)
        #expect(try FileSystem.mode(of: path) == 0o600)
        first.remove()
        #expect(FlightRecorderFile(path: path) != nil)
    }
}
