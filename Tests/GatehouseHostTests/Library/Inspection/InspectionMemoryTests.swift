// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseHost

@Suite struct InspectionMemoryTests {
    @Test func `a library of 100 MB is described in at most 16 MB of memory`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copyLibrary("CounterPlugin", as: "lib.so")
        try FileSystem.setSize(100_000_000, of: path)
        // A path that is long enough to fill the pipe, so that the child waits with everything done.
        let name = String(repeating: "./", count: 1_900) + "lib.so"
        let child = try ChildProcess(BuiltProducts.program, ["inspect", "--json", name], in: folder.path)
        child.narrowOutput()
        try child.waitUntilOutputIsFull()
        let peak = try child.peakMemory()
        #expect(peak > 1_000_000)
        // The pages of the program's own code count as well, of which a build without optimisation has 5 MB more.
        #if DEBUG
            #expect(peak <= 21_000_000)
        #else
            #expect(peak <= 16_000_000)
        #endif
        let outcome = try child.finish()
        #expect(outcome.output.contains("\"bytes\":100000000,"))
        #expect(outcome.exitCode == 0)
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
