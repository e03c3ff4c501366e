// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct InspectionMemoryTests {
    /// The most memory that a description takes, pages of the program's own files included.
    ///
    /// - Parameter count: how many bytes the library has; nil for as many as were built.
    private func peak(describing count: Int?) throws -> Int {
        let folder = try TemporaryFolder()
        let path = try folder.copyLibrary("CounterPlugin", as: "lib.so")
        if let count { try FileSystem.setSize(count, of: path) }
        // A path that is long enough to fill the pipe, so that the child waits with everything done.
        let name = String(repeating: "./", count: 1_900) + "lib.so"
        let child = try ChildProcess(BuiltProducts.program, ["inspect", "--json", name], in: folder.path)
        child.narrowOutput()
        try child.waitUntilOutputIsFull()
        let peak = try child.peakMemory()
        let outcome = try child.finish()
        if let count { #expect(outcome.output.contains("\"bytes\":\(count),")) }
        #expect(outcome.exitCode == 0)
        return peak
    }

    @Test func `a library of 100 MB is described in at most 4 MB more than a small one`() throws {
        // How many pages of its own code a program has mapped is up to the system, and differs by a megabyte.
        let small = try peak(describing: nil)
        #expect(small > 1_000_000)
        #expect(try peak(describing: 100_000_000) - small < 4 << 20)
    }

    @Test func `a file without bounds is described at once, and refused for its size`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copyLibrary("CounterPlugin", as: "lib.so")
        let size = 15 << 40
        try FileSystem.setSize(size, of: path)
        let inspection = try LibraryInspection(path: path)
        #expect(
            inspection.verdict.refusals.map(\.description) == [
                "\(size) bytes, a plugin library has at most 536870912"
            ])
        #expect(inspection.verdict.note?.manifest.id == "counter")
        #expect(inspection.value["bytes"] == .integer(Int64(size)))
        #expect(inspection.value["sha256"] == .null)
        #expect(inspection.text.contains("  sha256       not computed, the file is too large\n"))
        #expect(inspection.warnings == [])
    }

    @Test func `what is not read costs nothing`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([1, 2, 3], to: "file")
        try FileSystem.setSize(50_000_000, of: path)
        let inspection = try LibraryInspection(path: path)
        #expect(inspection.count == 50_000_000)
        #expect(inspection.header == nil)
        #expect(!inspection.verdict.isAccepted)
    }
}
