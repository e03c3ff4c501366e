// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import Testing

/// Where the instances of the bundled plugins are in a cluster.
@Suite(.timeLimit(.minutes(10))) struct PluginScopeTests {
    /// The folder of the bundled plugins.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Plugins")

    /// The names of their folders.
    private static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `a port and a file belong to a host, a clock to the cluster, and all else to each partition`()
        throws
    {
        var found: [String: PluginScope] = [:]
        for name in try Self.names() {
            let text = try Data(contentsOf: Self.folder.appending(path: "\(name)/plugin.json"))
            found[name] = try PluginManifest(parsing: Array(text)).scope
        }
        #expect(found.count == 12)
        #expect(
            found.filter { $0.value != .partition } == [
                "HTTP": .host, "Persistence": .host, "Schedule": .cluster,
            ])
    }

    @Test func `each says in its README what becomes of it in a cluster`() throws {
        for name in try Self.names() {
            let text = try String(
                contentsOf: Self.folder.appending(path: "\(name)/README.md"), encoding: .utf8)
            #expect(
                text.contains("\nIn a [cluster](../../Documentation/Configuration.md#pluginsjson) "),
                "\(name)")
        }
    }
}
