// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue

/// Why the tool failed.
enum ToolError: Error, CustomStringConvertible {
    /// The arguments are not those of a command.
    case usage
    /// A file or folder that could not be read or written.
    case file(path: String, String)
    /// The toolchain in use is not the one that built this tool; the identities.
    case toolchain(path: String, expected: String, found: String)
    /// The SDK's package description does not start with the version of its tools.
    case toolsVersion(path: String, found: String)
    /// The manifest of a plugin has mistakes.
    case manifest(path: String, ManifestError)
    /// The sources of a plugin have code that compiles and does nothing.
    case sources([SourceMistake])

    /// The lines to print, in the format that editors and build logs recognize.
    var description: String {
        switch self {
        case .usage:
            "error: expected stamp or skeleton SDK COMPILER OUTPUT, or embed SDK COMPILER OUTPUT seen|unseen PLUGIN.JSON MODULE SOURCE…; the build calls this tool"
        case .file(let path, let reason): "\(path): error: \(reason)"
        case .toolchain(let path, let expected, let found):
            "\(path): error: expected the toolchain of the host, whose compiler is \(expected), found \(found); build with the host's toolchain, since it refuses what others build"
        case .toolsVersion(let path, let found):
            "\(path):1:1: error: expected // swift-tools-version: and a version, found \"\(found)\"; restore the line"
        case .manifest(let path, let error):
            error.problems.map { "\(path):\($0.position): error: \($0.sentence)" }.joined(separator: "\n")
        case .sources(let mistakes): mistakes.map(\.description).joined(separator: "\n")
        }
    }
}
