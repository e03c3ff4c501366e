// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Gives each plugin target its note and its entry, and the SDK its own identity.
///
/// All sources of the SDK are inputs of both commands: after a change to one, even an incremental build gives library and
/// plugins the new identity.
@main struct EmbedManifest: BuildToolPlugin {
    /// The reason why a target cannot get an entry.
    struct Failure: Error, CustomStringConvertible {
        /// The sentence to show.
        let description: String
    }

    /// Returns one command for the target: stamping for the SDK, embedding for any other.
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let sdk = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let (tool, compiler) = try Self.tool(in: context)
        // Another tool or compiler may give another identity.
        let sources = try Self.sources(of: sdk) + [tool] + (compiler.map { [$0] } ?? [])
        let common = [sdk.path, compiler?.path ?? "-"]

        if target.name == "GatehouseSDK" {
            let output = context.pluginWorkDirectoryURL.appending(path: "SDKIdentity.swift")
            return [
                .buildCommand(
                    displayName: "Stamping the SDK with its identity", executable: tool,
                    arguments: ["stamp"] + common + [output.path], inputFiles: sources, outputFiles: [output])
            ]
        }
        let manifest = target.directoryURL.appending(path: "plugin.json")
        guard FileManager.default.fileExists(atPath: manifest.path) else {
            throw Failure(
                description: """
                    the target \(target.name) uses EmbedManifest: expected its manifest at \(manifest.path), \
                    found none; create it with the keys id, version, summary, principal, consumes and emits
                    """)
        }
        // As the package description decides it.
        let isForHost = !(ProcessInfo.processInfo.environment["GATEHOUSE_SDK"] ?? "").isEmpty
        // The enum of its actions may be in any of them.
        let files = target.sourceModule?.sourceFiles(withSuffix: ".swift").map(\.url) ?? []
        let output = context.pluginWorkDirectoryURL.appending(path: "\(target.name)+Entry.swift")
        return [
            .buildCommand(
                displayName: "Embedding the manifest of \(target.name)", executable: tool,
                arguments: ["embed"] + common
                    + [output.path, isForHost ? "unseen" : "seen", manifest.path, target.name]
                    + files.map(\.path),
                inputFiles: [manifest] + files + sources, outputFiles: [output])
        ]
    }

    /// Returns the manifest tool; for the host's, also this toolchain's C compiler, to check that it is the host's too.
    private static func tool(in context: PluginContext) throws -> (tool: URL, compiler: URL?) {
        let path = ProcessInfo.processInfo.environment["GATEHOUSE_MANIFEST_TOOL"] ?? ""
        if path.isEmpty { return (try context.tool(named: "manifest-tool").url, nil) }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(
                description: """
                    GATEHOUSE_MANIFEST_TOOL: expected the path of the manifest tool of a host, found no program at \(path); \
                    set it as gatehouse sdk --environment says, or unset it
                    """)
        }
        return (URL(filePath: path), try context.tool(named: "clang").url)
    }

    /// Returns the package description, all source files of the SDK and their folders, sorted.
    ///
    /// The folders are inputs because a removed file changes nothing else that the build looks at.
    private static func sources(of sdk: URL) throws -> [URL] {
        let root = sdk.appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { path in
            [".swift", ".c", ".h", ".modulemap"].contains { path.hasSuffix($0) }
        }
        let urls = files.map { root.appending(path: $0) }
        let folders = Set(urls.map { $0.deletingLastPathComponent() })
        return [sdk.appending(path: "Package.swift")] + (urls + folders).sorted { $0.path < $1.path }
    }
}
