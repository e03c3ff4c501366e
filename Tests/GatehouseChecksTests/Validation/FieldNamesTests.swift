// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import Testing

@testable import GatehouseChecks
@testable import GatehouseLibrary

/// The names that checks find in the reflection data of a library.
@Suite(.timeLimit(.minutes(10))) struct FieldNamesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The names that are found when these bytes are the reflection data of a bundled plugin.
    private func names(in bytes: [UInt8]) throws -> [String] {
        var library = try FixtureLibrary(reading: BuiltProducts.library("CounterPlugin"), module: "Counter")
        let table = Int(library.number(UInt64.self, at: 40))
        let texts = Int(
            library.number(UInt64.self, at: table + 64 * Int(library.number(UInt16.self, at: 62)) + 24))
        let header = try #require(
            (0..<Int(library.number(UInt16.self, at: 60))).map { table + 64 * $0 }.first { place in
                let name = texts + Int(library.number(UInt32.self, at: place))
                return library.bytes[name...].starts(with: "swift5_reflstr\0".utf8)
            })
        library.write(UInt64(library.bytes.count), at: header + 24)
        library.write(UInt64(bytes.count), at: header + 32)
        library.bytes += bytes
        try folder.write(library.bytes, to: "plugin.so")
        return try LibraryInspection(path: folder("plugin.so")).fieldNames
    }

    @Test func `names of members are found once each, in order, and no others`() throws {
        let long = String(repeating: "b", count: 40)
        let texts = ["count", long, long + "b", "two words", "$wrapped", "Größe", "", "amount", "count"]
        #expect(try names(in: Array(texts.joined(separator: "\0").utf8)) == ["amount", long, "count"])
    }

    @Test func `a thousand names are enough`() throws {
        let texts = (1_000...2_000).map { "name\($0)" }
        let found = try names(in: Array(texts.joined(separator: "\0").utf8))
        #expect(found == Array(texts.dropLast()))
    }

    @Test func `the first 64 KiB are read`() throws {
        let near = Array("near".utf8)
        let padding = [UInt8](repeating: 0, count: 65_536 - 2 * near.count - 1)
        #expect(
            try names(in: near + [0] + padding + near.dropLast() + [0] + Array("far".utf8)) == [
                "nea", "near",
            ])
    }
}
