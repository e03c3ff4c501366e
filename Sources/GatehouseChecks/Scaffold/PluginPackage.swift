// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseLibrary
package import GatehouseSupport
private import Glibc

/// The package of a new plugin, which builds, passes its tests and loads as it is.
package struct PluginPackage: Sendable {
    /// Its files: the path in the package, and the content.
    package let files: [(path: String, content: [UInt8])]
    /// What it is called; also the name of its folder.
    package let name: PluginName

    /// The most bytes that a file of a template may have.
    private static let limit = 1 << 20

    /// Reads a template and puts the names into it.
    ///
    /// No path of this machine is in it, so that the package can be built anywhere.
    ///
    /// - Throws: `PluginPackageError` for a template that cannot be read.
    package init(
        _ name: PluginName, template: PluginTemplate, sdk: SDKFolder
    ) throws(PluginPackageError) {
        let words = [
            ("PluginName", name.type), ("plugin-id", name.id),
            // What Rust makes of it.
            ("plugin_id", String(name.id.map { $0 == "-" ? "_" : $0 })),
            ("@PRINT@", template.printed), ("@PACKAGES@", template.packages),
        ]
        var found: [String: [UInt8]] = [:]
        for folder in template.folders {
            let root = sdk.path + "/Templates/" + folder
            let names = SystemFile.names(inFolder: root).isEmpty ? [] : SDKFolder.files(below: root, in: ".")
            guard !names.isEmpty else {
                throw .template(
                    path: root, reason: "expected the files of a template, found none; name a complete SDK")
            }
            for path in names.map({ String($0.dropFirst(2)) }) {
                let content: [UInt8]
                do { content = try SystemFile.bytes(of: root + "/" + path, limit: Self.limit) } catch {
                    throw .template(
                        path: root + "/" + path,
                        reason: "expected a file of a template, cannot read it: \(error); make it readable")
                }
                let text = Self.replacing(words, in: String(decoding: content, as: UTF8.self))
                let name = Self.replacing(words, in: path)
                found[name.hasPrefix("dot-") ? "." + name.dropFirst(4) : name] = Array(text.utf8)
            }
        }
        files = found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        self.name = name
    }

    /// Makes the package's folder below another one: whole, or not at all.
    ///
    /// - Throws: `PluginPackageError` when there is something else already, or the system refuses.
    package func write(to folder: String = ".") throws(PluginPackageError) {
        let target = folder == "." ? name.type : folder + "/" + name.type
        // Nothing is in the way of the name, so that somebody else's folder never stands half written.
        let draft = "\(folder)/.\(name.type).\(getpid())"
        do throws(SystemFailure) {
            try Self.makeFolder(draft)
            for (path, content) in files {
                var parent = draft
                for part in path.split(separator: "/").dropLast() {
                    parent += "/" + part
                    if SystemFile.identity(parent) == nil { try Self.makeFolder(parent) }
                }
                try SystemFile.create(draft + "/" + path, with: content)
            }
            guard unsafe rename(draft, target) == 0 else { throw .last }
        } catch {
            _ = unsafe gatehouse_remove_tree(draft)
            switch error.code {
            case EEXIST, ENOTEMPTY: throw .exists(path: target)
            case ENOTDIR where SystemFile.identity(target) != nil: throw .exists(path: target)
            default: throw .system(path: target, error)
            }
        }
    }

    /// Makes one folder.
    private static func makeFolder(_ path: String) throws(SystemFailure) {
        guard unsafe mkdir(path, 0o755) == 0 else { throw .last }
    }

    /// A text with each of some words replaced.
    private static func replacing(_ words: [(word: String, other: String)], in text: String) -> String {
        words.reduce(text) {
            $0.split(separator: $1.word, omittingEmptySubsequences: false).joined(separator: $1.other)
        }
    }

    /// The path of this program, where a shell does not find it by its name as the packages do.
    package static func unlistedHost() throws(PluginPackageError) -> String? {
        let own = "/proc/self/exe"
        let folders = (SystemFile.variable("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        let first = folders.lazy.map { $0 + "/gatehouse" }.first { SystemFile.identity($0) != nil }
        if let first, SystemFile.identity(first) == SystemFile.identity(own) { return nil }
        do { return try SystemFile.target(of: own) } catch {
            throw .template(path: own, reason: error.reason)
        }
    }
}

/// Why the package of a new plugin was not made.
package enum PluginPackageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A file of the template cannot be read.
    case template(path: String, reason: String)
    /// There is something already.
    case exists(path: String)
    /// The system refused.
    case system(path: String, SystemFailure)

    package var description: String {
        switch self {
        case .template(let path, let reason):
            "\(path): \(reason)"
        case .exists(let path):
            "\(path): expected nothing of this name, or an empty folder, found something else; choose another name, or remove it"
        case .system(let path, let failure):
            "\(path): cannot make the package: \(failure)"
        }
    }
}
