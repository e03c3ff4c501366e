// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseTesting

/// The files that tests of plugins compare with.
@Suite struct TextFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file of any size is read as it was written, in a folder that is made for it`() {
        let file = TextFile(folder("Golden/big.txt"))
        #expect(!file.exists && file.read() == nil)
        let text = String(repeating: "0123456789", count: 20_000)
        #expect(file.write(text))
        #expect(file.exists && file.read() == Array(text.utf8))
        #expect(file.write("") && file.read() == [])
    }

    @Test func `a path is one below the nearest package`() throws {
        let source = try folder.makeFolder("Tests") + "/ATests.swift"
        #expect(TextFile("Golden/a.txt", inPackageOf: "/no-such-folder/Tests/A.swift")?.path == nil)
        try folder.write("", to: "Package.swift")
        #expect(TextFile("Golden/a.txt", inPackageOf: source)?.path == folder("Golden/a.txt"))
        try folder.write("", to: "Tests/Package.swift")
        #expect(TextFile("Golden/a.txt", inPackageOf: source)?.path == folder("Tests/Golden/a.txt"))
    }

    @Test func `files are compared, and written only where the environment asks for that`() {
        let variables = (try? FileSystem.read("/proc/self/environ")) ?? []
        let asks = variables.split(separator: 0).contains { $0.starts(with: "GATEHOUSE_RECORD=".utf8) }
        #expect(TextFile.isRecording == asks)
    }
}
