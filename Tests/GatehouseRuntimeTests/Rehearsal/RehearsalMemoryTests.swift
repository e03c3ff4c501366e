// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime

/// What has passed a rehearsal, and all that it passed with.
@Suite(.timeLimit(.minutes(10))) struct RehearsalMemoryTests {
    /// An image as the tests change it, one thing at a time.
    private struct Image {
        var library = "CounterPlugin"
        var broughtAlong = "libc 2.36"
        var id = "a"
        var settings: Value = ["step": 1]
        var dependencies: [String]? = ["clock"]
        var state: VersionedState? = VersionedState(version: 1, value: ["count": 5])

        /// The act that tries it.
        func act() throws -> RehearsalAct {
            let file = try SealedFile(path: BuiltProducts.library(library), trust: nil)
            let version = try #require(SemanticVersion("1.0.0"))
            let manifest = PluginManifest(
                id: "counter", version: version, summary: "", principal: "Counter", consumes: [], emits: [])
            let planned = PlannedInstance(
                InstanceConfiguration(
                    id: id, settings: settings, lift: LiftConfiguration(dependencies: dependencies)),
                manifest: manifest)
            return RehearsalAct(
                content: ImageContent(file), broughtAlong: SHA256.digest(Array(broughtAlong.utf8)),
                note: PluginNote(
                    manifest: manifest, contract: .foreign(abi: 1), entry: EntryName(module: "Counter")),
                instances: [planned],
                states: state.map { [id: $0] } ?? [:])
        }

        /// The same with a change.
        func with(_ change: (inout Image) -> Void) -> Image {
            var other = self
            change(&other)
            return other
        }
    }

    @Test func `what has passed is known as long as nothing differs that it passed with`() throws {
        let folder = try TemporaryFolder()
        let memory = try #require(
            RehearsalMemory(in: folder("cache"), trust: FileTrust(isStrict: false)))
        let image = Image()
        #expect(!memory.knows(try image.act()))
        memory.remember([try image.act()])
        #expect(memory.knows(try image.act()))
        let others: [(String, Image)] = [
            ("the library", image.with { $0.library = "ProbePlugin" }),
            ("what it brings along", image.with { $0.broughtAlong = "libc 2.37" }),
            ("the id", image.with { $0.id = "b" }),
            ("the settings", image.with { $0.settings = ["step": 2] }),
            ("the dependencies", image.with { $0.dependencies = ["clock", "data"] }),
            ("all dependencies", image.with { $0.dependencies = nil }),
            ("no dependencies", image.with { $0.dependencies = [] }),
            ("the state", image.with { $0.state = VersionedState(version: 1, value: ["count": 6]) }),
            (
                "the version of the state",
                image.with { $0.state = VersionedState(version: 2, value: ["count": 5]) }
            ),
            ("no state", image.with { $0.state = nil }),
        ]
        for (what, other) in others { #expect(!memory.knows(try other.act()), "\(what)") }
        memory.remember(try others.map { try $0.1.act() })
        #expect(FileSystem.names(in: folder("cache/rehearsals")).count == others.count + 1)
        withExtendedLifetime(folder) {}
    }

    @Test func `a use keeps what is known from being forgotten, and what nobody used for a month is`() throws
    {
        let folder = try TemporaryFolder()
        let memory = try #require(
            RehearsalMemory(in: folder("cache"), trust: FileTrust(isStrict: false)))
        let image = Image()
        memory.remember([try image.act()])
        let name = try #require(FileSystem.names(in: folder("cache/rehearsals")).first)
        try FileSystem.setAge(days: 29, of: folder("cache/rehearsals/" + name))
        #expect(memory.knows(try image.act()))
        // Its age was that of its last use when the next one is remembered.
        memory.remember([try image.with { $0.id = "b" }.act()])
        #expect(memory.knows(try image.act()))
        try FileSystem.setAge(days: 31, of: folder("cache/rehearsals/" + name))
        memory.remember([try image.with { $0.id = "b" }.act()])
        #expect(!memory.knows(try image.act()))
        withExtendedLifetime(folder) {}
    }
}
