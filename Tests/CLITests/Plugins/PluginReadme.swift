// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

/// The README of a bundled plugin, whose first block of JSON is a configuration that works as it stands.
enum PluginReadme {
    /// The first configuration of the plugin in this folder below `Plugins`.
    static func configuration(of folder: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = String(
            decoding: try Data(contentsOf: root.appending(path: "Plugins/\(folder)/README.md")), as: UTF8.self
        )
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "```json"))
        let end = try #require(lines[start...].firstIndex(of: "```"))
        return lines[(start + 1)..<end].joined(separator: "\n")
    }
}
