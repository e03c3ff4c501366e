// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Glibc

/// The program of the build tool plugin: stamps the SDK, or embeds the manifest of a plugin. For `Scripts/check-binding` it also
/// writes the SDK without the bodies that plugins do not depend on.
///
/// ```
/// manifest-tool stamp SDK COMPILER OUTPUT
/// manifest-tool embed SDK COMPILER OUTPUT BODIES PLUGIN.JSON MODULE SOURCE…
/// manifest-tool skeleton SDK COMPILER OUTPUT
/// ```
///
/// SDK is the folder of the SDK's sources. The tool writes the identity of the toolchain that built it. A tool from an earlier
/// build therefore takes the C compiler of the current toolchain to compare; `-` if this very build has made it. BODIES is
/// `unseen` if the package description keeps the bodies of the SDK from the compiler of a plugin, otherwise `seen`.
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
            try FileSystem.write(
                Array(StampSource { sdk.identity($0, seesBodies: false) }.text.utf8), to: arguments[3])
        case ("skeleton", 1):
            for file in sdk.files {
                let path = arguments[3] + "/" + file.path
                try FileSystem.makeFolder(of: path)
                try FileSystem.write(SourceSkeleton(of: file).stopping, to: path)
            }
        case ("embed", 4...) where ["seen", "unseen"].contains(arguments[4]):
            let (output, path, module) = (arguments[3], arguments[5], arguments[6])
            let seesBodies = arguments[4] == "seen"
            let manifest = try FileSystem.bytes(of: path)
            var sources: [SourceFile] = []
            for path in rest.dropFirst(4) {
                sources.append(SourceFile(path: path, content: try FileSystem.bytes(of: path)))
            }
            let source: EntrySource
            do {
                source = try EntrySource(
                    manifest: manifest, path: path, module: module, sources: sources
                ) { sdk.identity($0, seesBodies: seesBodies) }
            } catch {
                throw .manifest(path: path, error)
            }
            guard source.mistakes.isEmpty else { throw .sources(source.mistakes) }
            try FileSystem.write(Array(source.text.utf8), to: output)
        default:
            throw .usage
        }
    }
}
