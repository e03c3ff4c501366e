// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseSupport

/// The calls that the kernel's control groups are made of, on usual folders and files.
@Suite struct ControlGroupFilesTests {
    private let files = ControlGroupFiles.system
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `what is there may be written to, and what is not may not`() throws {
        try folder.write("max\n", to: "memory.max")
        #expect(files.mayWrite(folder.path) && files.mayWrite(folder("memory.max")))
        #expect(!files.mayWrite(folder("pids.max")))
    }

    @Test func `a file is read and written as it is, and none is made`() throws {
        try folder.write("max\n", to: "memory.max")
        #expect(files.read(folder("memory.max")) == "max\n")
        #expect(files.number(folder("memory.max")) == nil)
        try files.write(folder("memory.max"), "4096")
        #expect(files.number(folder("memory.max")) == 4_096)
        #expect(files.words(folder("memory.max")) == ["4096"])
        #expect(files.read(folder("pids.max")) == nil && files.words(folder("pids.max")).isEmpty)
        #expect(throws: GatehouseSupport.SystemFailure.self) { try files.write(folder("pids.max"), "1") }
    }

    @Test func `the number after a word is that of its line`() throws {
        try folder.write("max 9\noom 1\noom_kill 2\n", to: "memory.events")
        let numbers = ["max", "oom", "oom_kill", "low"].map {
            files.number(after: $0, in: folder("memory.events"))
        }
        #expect(numbers == [9, 1, 2, nil])
        #expect(files.number(after: "max", in: folder("none")) == nil)
    }

    @Test func `a group is made once, and removed once`() throws {
        try files.make(folder("group"))
        #expect(FileSystem.isFolder(folder("group")))
        #expect(throws: GatehouseSupport.SystemFailure.self) { try files.make(folder("group")) }
        try files.remove(folder("group"))
        #expect(!FileSystem.exists(folder("group")))
        #expect(throws: GatehouseSupport.SystemFailure.self) { try files.remove(folder("group")) }
    }
}
