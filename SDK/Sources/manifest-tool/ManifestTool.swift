// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import Glibc

/// The program of the build tool plugin: stamps the SDK, or embeds the manifest of a plugin.
///
/// ```
/// manifest-tool stamp SDK COMPILER OUTPUT
/// manifest-tool embed SDK COMPILER OUTPUT PLUGIN.JSON MODULE SOURCE…
/// ```
///
/// SDK is the folder of the SDK's sources. The tool writes the identity of the toolchain that built it. A tool from an earlier
/// build therefore takes the C compiler of the current toolchain to compare; `-` if this very build has made it.
@main struct ManifestTool {
    /// Runs the command and exits with 0, or with 1 after printing the reason on stderr.
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            var lines = "\(error)\n"
            // A failure here has nobody left to hear of it.
            _ = lines.withUTF8 { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            exit(1)
        }
    }

    /// Runs the command in the arguments.
    private static func run(_ arguments: [String]) throws(ToolError) {
        guard arguments.count >= 3 else { throw .usage }
        let rest = arguments.dropFirst(3)
        if arguments[2] != "-" { try checkToolchain(of: arguments[2]) }
        let sdk = try SDKSources(in: arguments[1])
        switch (arguments[0], rest.count) {
        case ("stamp", 1):
            try write(StampSource(identity: sdk.identity).text, to: arguments[3])
        case ("embed", 3...):
            let (output, path, module) = (arguments[3], arguments[4], arguments[5])
            let manifest = try SDKSources.read(path)
            var sources: [SourceFile] = []
            for path in rest.dropFirst(3) {
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

    /// Writes a file unless it already has this text, so that nothing is compiled again without need.
    private static func write(_ text: String, to path: String) throws(ToolError) {
        let bytes = Data(text.utf8)
        // Overwrite an unreadable output.
        if FileManager.default.contents(atPath: path) == bytes { return }
        do {
            try bytes.write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .file(path: path, "cannot write it: \(error)")
        }
    }
}
