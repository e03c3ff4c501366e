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

    @Test func `what was told once is gone for the one after`() throws {
        try leave()
        _ = FlightRecorderFile(path: path)
        let third = try #require(FlightRecorderFile(path: path))
        #expect(third.left == nil)
        #expect(try FileSystem.read(path).allSatisfy { $0 == 0 })
    }

    @Test func `after a good end the file is gone`() throws {
        let file = try #require(FlightRecorderFile(path: path))
        file.remove()
        #expect(!FileSystem.exists(path))
    }

    @Test func `what is no plain file of its own is no flight recorder`() throws {
        #expect(FlightRecorderFile(path: folder("no/host.box")) == nil)
        let target = try folder.write("x", to: "target")
        try FileSystem.link(path, to: target)
        #expect(FlightRecorderFile(path: path) == nil)
        #expect(try folder.read("target") == "x")
        try FileSystem.makePipe(folder("pipe"))
        #expect(FlightRecorderFile(path: folder("pipe")) == nil)
        try FileSystem.setMode(0o600, of: target)
        if FileSystem.isRoot {
            try FileSystem.setOwner(1, of: target)
            #expect(FlightRecorderFile(path: target) == nil)
            #expect(try folder.read("target") == "x")
        }
    }

    @Test func `a file that is not a flight recorder is let go of`() throws {
        try FileSystem.makePipe(path)
        for _ in 1...2 { #expect(FlightRecorderFile(path: path) == nil) }
        let identity = try #require(SystemFile.identity(path))
        let open = (0..<1_024).filter { SystemFile.identity("/proc/self/fd/\($0)") == identity }
        #expect(open.isEmpty)
    }
}
