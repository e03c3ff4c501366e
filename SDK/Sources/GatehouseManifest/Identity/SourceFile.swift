// SPDX-License-Identifier: Apache-2.0

/// A source file of a plugin, or one that counts for the SDK's identity.
public struct SourceFile: Sendable {
    /// The path, with slashes; of a file of the SDK, relative to the SDK's folder.
    public let path: String
    /// All bytes of the file.
    public let content: [UInt8]

    /// Pairs a path with its content.
    public init(path: String, content: [UInt8]) {
        self.path = path
        self.content = content
    }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Returns whether a path relative to the SDK's folder counts for its identity.
    ///
    /// Everything that makes the library counts: the package description with its compiler settings, and below `Sources` all
    /// Swift and C files, C headers and module maps. The build tool does not: only its output becomes part of the library.
    public static func counts(path: String) -> Bool {
        if path == "Package.swift" { return true }
        guard path.hasPrefix("Sources/"), !path.hasPrefix("Sources/manifest-tool/"),
            !path.split(separator: "/").contains(where: { $0.hasPrefix(".") })
        else { return false }
        return [".swift", ".c", ".h", ".modulemap"].contains { path.hasSuffix($0) }
    }
}
