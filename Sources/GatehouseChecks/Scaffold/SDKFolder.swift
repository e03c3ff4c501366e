// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The sources of the SDK that this host was built from; plugins that are built with them fit it.
package struct SDKFolder: Sendable {
    /// Where they are, from the root, without links.
    package let path: String

    /// The most bytes that a source file may have.
    private static let limit = 16 << 20

    /// The sources in a folder that somebody names.
    ///
    /// - Throws: `SDKFolderError` when they are not those of this host.
    package init(path: String) throws(SDKFolderError) {
        guard Self.isThere(path), let whole = Self.resolved(path) else { throw .noSDK(path: path) }
        try self.init(whole: whole)
    }

    /// The sources that `GATEHOUSE_SDK` names, or else those that belong to this program: those that were installed with it, or
    /// those that it was built from.
    ///
    /// - Throws: `SDKFolderError` when there are none, or when they have changed since.
    package static func ofThisHost() throws(SDKFolderError) -> SDKFolder {
        if let path = SystemFile.variable("GATEHOUSE_SDK"), !path.isEmpty { return try SDKFolder(path: path) }
        let places = places(for: try program())
        guard let place = places.first(where: isThere) else { throw .missing(places: places) }
        return try SDKFolder(whole: place)
    }

    /// The variables, by name, with which a shell builds plugins for this host.
    ///
    /// `GATEHOUSE_MANIFEST_TOOL` is missing where the tool is not beside the program: each build then makes it.
    package func environment() throws(SDKFolderError) -> [(name: String, value: String)] {
        let folder = SystemFile.parts(of: try Self.program()).folder
        // As the build calls it that has just used it, and as it is installed.
        let tool = ["manifest-tool-tool", "manifest-tool"].map { folder + "/" + $0 }
            .first { SystemFile.identity($0) != nil }
        return [
            ("GATEHOUSE_SDK", path), ("GATEHOUSE_MANIFEST_TOOL", tool),
            ("GATEHOUSE_CONFIGURATION", SDKIdentity.current.configuration.rawValue),
            ("GATEHOUSE_SCRATCH", scratch),
        ].compactMap { name, value in value.map { (name, $0) } }
    }

    /// Where SwiftPM builds the SDK once for all plugins of this user: the folder that `GATEHOUSE_SCRATCH` names, or else one in
    /// the cache; where the environment names no cache, `.build` in the current folder.
    private var scratch: String {
        if let named = SystemFile.variable("GATEHOUSE_SCRATCH"), named.hasPrefix("/") { return named }
        guard let cache = CacheFolder.current else { return SystemFile.currentFolder + "/.build" }
        let name = path.dropFirst().map { character in
            character.isASCII && (character.isLetter || character.isNumber || "._".contains(character))
                ? character : "-"
        }
        return cache + "/build/" + String(name)
    }

    /// The path of this program.
    private static func program() throws(SDKFolderError) -> String {
        let link = "/proc/self/exe"
        do { return try SystemFile.target(of: link) } catch {
            throw .unreadable(path: link, reason: error.reason)
        }
    }

    /// Where the sources for a program may be: beside an installed one, and above the folder that it was built in.
    static func places(for program: String) -> [String] {
        var folder = SystemFile.parts(of: program).folder
        var above: [String] = []
        while folder != "/" {
            above.append(folder)
            folder = SystemFile.parts(of: folder).folder
        }
        let installed = above.dropFirst(2).first.map { $0 + "/share/gatehouse/SDK" }
        // The build folder and what is in it has no sources.
        let repository = above.firstIndex { SystemFile.parts(of: $0).name == ".build" }
            .flatMap { above.dropFirst($0 + 1).first }.map { $0 + "/SDK" }
        return [installed, repository].compactMap(\.self)
    }

    /// Compares what is in a folder with what this host was built from.
    private init(whole path: String) throws(SDKFolderError) {
        var sources: [SourceFile] = []
        for name in ["Package.swift"] + Self.files(below: path, in: "Sources")
        where SourceFile.counts(path: name) {
            let file = path + "/" + name
            do {
                sources.append(
                    SourceFile(path: name, content: try SystemFile.bytes(of: file, limit: Self.limit)))
            } catch {
                throw .unreadable(path: file, reason: "\(error)")
            }
        }
        // The version of the tools stands in one of the files, so that another one is another digest in any case.
        let host = SDKIdentity.current
        let found = SDKFingerprint(sources: sources).hex(
            toolsVersion: host.toolsVersion, compiler: host.compiler, triple: host.triple,
            configuration: host.configuration)
        guard found == host.sdkFingerprint else {
            throw .differs(path: path, expected: host.sdkFingerprint, found: found)
        }
        self.path = path
    }

    /// Whether a folder looks like the SDK.
    private static func isThere(_ path: String) -> Bool {
        SystemFile.identity(path + "/Package.swift") != nil
            && SystemFile.identity(path + "/Sources/GatehouseSDK") != nil
    }

    /// A path from the root, without links; nil when it leads nowhere.
    private static func resolved(_ path: String) -> String? {
        guard let whole = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(whole) }
        return unsafe String(cString: whole)
    }

    /// All that lies in a folder below another one, as paths from that one, in no order.
    package static func files(below root: String, in folder: String) -> [String] {
        SystemFile.names(inFolder: root + "/" + folder).flatMap { name in
            let path = folder + "/" + name
            let isFolder =
                SystemFile.isFolder(root + "/" + path)
            return isFolder ? files(below: root, in: path) : [path]
        }
    }
}

/// Why there are no sources for plugins of this host.
package enum SDKFolderError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nothing is where the sources should be.
    case missing(places: [String])
    /// The folder that was named holds something else, or is not there.
    case noSDK(path: String)
    /// Something of them cannot be read.
    case unreadable(path: String, reason: String)
    /// They are not those that this host was built from; the fingerprints.
    case differs(path: String, expected: String, found: String)

    package var description: String {
        switch self {
        case .missing(let places):
            "expected the sources of the SDK in \(places.joined(separator: " or ")), found none; install the package gatehouse-sdk, run make install, or name their folder in GATEHOUSE_SDK"
        case .noSDK(let path):
            "\(path): expected a folder with the sources of the SDK, found no Package.swift and Sources/GatehouseSDK in it; name the folder SDK of the sources that this host was built from"
        case .unreadable(let path, let reason):
            "\(path): expected a source of the SDK, cannot read it: \(reason); make it readable"
        case .differs(let path, let expected, let found):
            "\(path): SDK fingerprint: expected \(expected), found \(found); this host would refuse plugins that are built with it: build the host from these sources, or name the folder of those that it was built from in GATEHOUSE_SDK"
        }
    }
}
