// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseSupport

/// What is wrong with the files of secrets that settings name.
@Suite struct SecretReviewTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What is said of an instance whose setting names a file.
    private func sentences(_ file: String, credentials: String? = nil) throws -> [String] {
        let manifest = PluginManifest(
            id: "door", version: try #require(SemanticVersion("1.0.0")), summary: "", principal: "Door",
            consumes: [],
            settings: ["type": "object", "properties": ["key": ["type": "string", "x-file": "secret"]]])
        let planned = PlannedInstance(
            InstanceConfiguration(id: "door", settings: ["key": .string(file)]), manifest: manifest)
        return SecretReview(credentials: credentials).diagnostics(of: planned).map(\.sentence)
    }

    /// Writes a secret of so many bytes that only this user can read.
    private func write(_ count: Int, to name: String) throws {
        try folder.write([UInt8](repeating: 0x78, count: count), to: name)
        try FileSystem.setMode(0o600, of: folder(name))
    }

    @Test func `a secret of eight bytes is one, and a shorter one can be guessed`() throws {
        try write(8, to: "key")
        #expect(try sentences(folder("key")) == [])
        try write(7, to: "key")
        #expect(
            try sentences(folder("key")) == [
                "the secret \"\(folder("key"))\" has 7 bytes, which can be guessed; write one of 8 or more there, such as openssl rand -hex 16 prints"
            ])
    }

    @Test func `a secret that is not there is told with where it belongs`() throws {
        #expect(
            try sentences(folder("key")) == ["there is no secret \"\(folder("key"))\"; write it there"])
        #expect(try sentences("no-such-key", credentials: folder.path).count == 1)
    }

    @Test func `a service finds its credentials before its folder`() throws {
        try write(3, to: "key")
        #expect(
            try sentences("key", credentials: folder.path).first?.hasPrefix(
                "the secret \"\(folder("key"))\" has 3 bytes") == true)
    }

    @Test func `no descriptor is left open`() throws {
        try write(8, to: "key")
        #expect(try sentences(folder("key")) == [])
        let open = FileSystem.names(in: "/proc/self/fd").filter {
            (try? SystemFile.target(of: "/proc/self/fd/" + $0)) == folder("key")
        }
        #expect(open == [])
    }
}
