// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct EntrySourceTests {
    /// An identity that shows its configuration.
    private func identity(_ configuration: BuildConfiguration) -> BuildIdentity {
        BuildIdentity(
            abi: 1, sdkVersion: "0.1.0",
            sdkFingerprint: String(repeating: configuration == .debug ? "d" : "e", count: 64),
            sdkSources: String(repeating: "f", count: 64), seesBodies: false,
            compiler: "21.0.0", triple: "x86_64-unknown-linux-gnu", configuration: configuration,
            toolsVersion: "6.3")
    }

    /// A manifest with a schema of a certain size, on several lines.
    private func manifest(schema: Int) -> [UInt8] {
        Array(
            """
            { "id": "big", "version": "1.0.0", "summary": "Big",
              "principal": "Outer.Big", "consumes": ["*"],
              "settings": { "description": "\(String(repeating: "x", count: schema))" } }
            """.utf8)
    }

    /// The generated file for a manifest.
    private func source(_ manifest: [UInt8]) throws -> String {
        try EntrySource(
            manifest: manifest, path: "/src/Big/plugin.json", module: "Big", sources: [], identity: identity
        ).text
    }

    /// The bytes of the note that the n-th constant of a generated file holds.
    private func note(_ index: Int, in source: String) throws -> (declared: Int, count: Int, bytes: [UInt8]) {
        let declarations = source.split(separator: "@section(\".note.gatehouse\") @used").dropFirst()
        try #require(declarations.count == 2)
        let declaration = declarations[declarations.startIndex + index]
        let numbers = try #require(declaration.split(separator: "= (", maxSplits: 1).last)
        let inline = try #require(declaration.split(separator: "InlineArray<").last?.prefix { $0 != "," })
        let parts = numbers.split(separator: "[", maxSplits: 1)
        let head = parts[0].split { ", \n".contains($0) }
        #expect(head[0] == "10")
        #expect(head[2...] == ["1", "0x65746167", "0x73756f68", "0x65"])
        let words = parts[1].prefix { $0 != "]" }.split { ", \n".contains($0) }
        let bytes = try words.flatMap { word -> [UInt8] in
            let number = try #require(UInt64(word.dropFirst(2), radix: 16))
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        }
        #expect(Int(inline) == words.count)
        return (try #require(Int(head[1])), words.count, bytes)
    }

    @Test(arguments: [0, 1, 7, 20_000])
    func `the constants hold the notes of both configurations`(size: Int) throws {
        let text = try source(manifest(schema: size))
        for (index, configuration) in [BuildConfiguration.debug, .release].enumerated() {
            let note = try note(index, in: text)
            #expect(note.declared == note.bytes.count)
            #expect(note.count <= 4_096)
            let read = try PluginNote(parsing: note.bytes)
            #expect(read.identity == identity(configuration))
            #expect(read.entry.symbol == "gatehouse_plugin_v1_Big")
            #expect(read.manifest == (try PluginManifest(parsing: manifest(schema: size))))
        }
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("#if") || $0 == "#else" } == [
                "#if DEBUG", "#else", "#if hasFeature(LibraryEvolution)",
            ])
    }

    @Test func `the entry names the principal on its line of the manifest`() throws {
        let text = try source(manifest(schema: 1))
        #expect(
            text.contains(
                """
                #sourceLocation(file: "/src/Big/plugin.json", line: 2)
                private typealias GatehousePrincipal = Outer.Big
                #sourceLocation()

                #if hasFeature(LibraryEvolution)
                #sourceLocation(file: "/src/Big/plugin.json", line: 2)
                #error("expected a target without library evolution, found -enable-library-evolution; remove it from the target's swiftSettings, because host and plugins share memory layouts")
                #sourceLocation()
                #endif

                @c(gatehouse_plugin_v1_Big)
                public func gatehousePluginEntry(_ host: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
                """))
    }

    @Test func `a path is spelled as a literal`() throws {
        let text = try EntrySource(
            manifest: manifest(schema: 0), path: "/a \"b\"\\ü\n/plugin.json", module: "Big",
            sources: [], identity: identity
        ).text
        #expect(text.contains(#"#sourceLocation(file: "/a \"b\"\\\u{fc}\u{a}/plugin.json", line: 2)"#))
    }

    @Test func `a note beyond the limit is refused with its size`() throws {
        #expect(throws: Never.self) { try source(manifest(schema: 32_000)) }
        do {
            _ = try source(manifest(schema: 33_000))
            Issue.record("accepted")
        } catch let error as ManifestError {
            let problem = try #require(error.problems.first)
            #expect(
                problem.description.hasPrefix(
                    "1:1: expected a manifest that fits into a note of 32768 bytes, found one that needs 33"))
            #expect(problem.description.hasSuffix("; shorten the schema in \"settings\""))
        }
    }

    @Test func `the actions are coded by an extension, and the note says so`() throws {
        func text(_ swift: String) throws -> String {
            try EntrySource(
                manifest: manifest(schema: 1), path: "/src/Big/plugin.json", module: "Big",
                sources: [SourceFile(path: "Big.swift", content: Array(swift.utf8))], identity: identity
            ).text
        }
        let generated = try text("enum Outer { struct Big { enum Action { case a(x: Int) } } }")
        #expect(generated.contains("\nimport GatehouseSDK\n"))
        #expect(generated.contains("\nnonisolated extension Outer.Big.Action {\n"))
        #expect(try PluginNote(parsing: try note(0, in: generated).bytes).coding == .generated)

        let seen = try text("public enum Outer { public struct Big { public enum Action { case a } } }")
        #expect(seen.contains("\npublic import GatehouseSDK\n"))

        let left = try text("enum Outer { struct Big { enum Action: Int { case a } } }")
        #expect(!left.contains("extension"))
        let reason = "Outer.Big.Action conforms to Int, which may code it"
        #expect(try PluginNote(parsing: try note(1, in: left).bytes).coding == .codable(reason: reason))

        let everything = try text("enum Outer { struct Big { typealias Action = AnyAction } }")
        #expect(!everything.contains("extension"))
        #expect(try PluginNote(parsing: try note(1, in: everything).bytes).coding == nil)
    }

    @Test func `a wrong manifest gives no source`() {
        #expect(throws: ManifestError.self) { try source(Array("{}".utf8)) }
    }
}
