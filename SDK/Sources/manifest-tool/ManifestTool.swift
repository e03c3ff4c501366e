// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import Glibc

/// The program that the build tool plugin runs: stamps the SDK, or embeds the manifest of a plugin.
///
/// ```
/// manifest-tool stamp OUTPUT
/// manifest-tool embed OUTPUT PLUGIN.JSON MODULE SOURCE…
/// ```
///
/// It finds the sources of the SDK by its own place among them.
@main struct ManifestTool {
    /// Runs the command and ends with 0, or with 1 after telling on stderr why not.
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            for line in error.lines { standardError("\(line)\n") }
            exit(1)
        }
    }

    /// Runs the command that the arguments name.
    private static func run(_ arguments: [String]) throws(ToolError) {
        let sdk = try SDKSources(besides: #filePath)
        switch (arguments.first, arguments.count) {
        case ("stamp", 2):
            try write(StampSource(identity: sdk.identity).text, to: arguments[1])
        case ("embed", 4...):
            let (output, path, module) = (arguments[1], arguments[2], arguments[3])
            let manifest = try SDKSources.read(path)
            var sources: [SourceFile] = []
            for path in arguments.dropFirst(4) {
                sources.append(SourceFile(path: path, content: try SDKSources.read(path)))
            }
            let source: EntrySource
            do {
                source = try EntrySource(
                    manifest: manifest, path: path, module: module, sources: sources, identity: sdk.identity)
            } catch {
                throw .manifest(path: path, error)
            }
            guard source.mistakes.isEmpty else { throw .sources(source.mistakes) }
            try write(source.text, to: output)
        default:
            throw .usage
        }
    }

    /// Writes a file unless it holds the text already, so that nothing is compiled again without need.
    private static func write(_ text: String, to path: String) throws(ToolError) {
        let bytes = Data(text.utf8)
        // An unreadable output is simply written.
        if FileManager.default.contents(atPath: path) == bytes { return }
        do {
            try bytes.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .file(path: path, "cannot write it: \(error)")
        }
    }

    /// Writes to stderr, which the build shows.
    private static func standardError(_ text: String) {
        var text = text
        // There is nobody left to tell if this fails.
        _ = text.withUTF8 { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
