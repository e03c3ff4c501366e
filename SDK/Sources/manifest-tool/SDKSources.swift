// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest

/// The sources of the SDK for a library.
struct SDKSources {
    /// The files that count for the SDK's identity, in no order.
    let files: [SourceFile]
    /// The fingerprint of those files.
    private let fingerprint: SDKFingerprint
    /// The version on the first line of the package description.
    private let toolsVersion: String

    /// Reads all sources.
    ///
    /// - Parameter folder: the folder of the SDK.
    init(in folder: String) throws(ToolError) {
        let paths = try FileSystem.files(below: folder + "/Sources")
        var files: [SourceFile] = []
        for path in ["Package.swift"] + paths.map({ "Sources/" + $0 }) where SourceFile.counts(path: path) {
            files.append(SourceFile(path: path, content: try FileSystem.bytes(of: folder + "/" + path)))
        }
        self.files = files
        fingerprint = SDKFingerprint(sources: files)
        toolsVersion = try Self.toolsVersion(of: folder + "/Package.swift")
    }

    /// Returns the identity of a build of the sources in a configuration.
    ///
    /// - Parameter seesBodies: whether a build for release optimises across modules.
    func identity(_ configuration: BuildConfiguration, seesBodies: Bool) -> BuildIdentity {
        BuildIdentity(
            sources: fingerprint, toolsVersion: toolsVersion, configuration: configuration,
            seesBodies: seesBodies)
    }

    /// Returns the version on the first line of a package description.
    private static func toolsVersion(of path: String) throws(ToolError) -> String {
        let line = String(
            decoding: try FileSystem.bytes(of: path).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, parts[0].hasSuffix("swift-tools-version") else {
            throw .toolsVersion(path: path, found: line)
        }
        return String(parts[1].filter { !$0.isWhitespace })
    }
}
