// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// One folder of a library's run path, judged.
///
/// Anyone who may write to such a folder can put code into the host.
package struct RunPathEntry: Equatable, Sendable {
    /// The judgement about the folder.
    enum Finding: Equatable, Sendable {
        /// The system's, or one that this process was itself loaded from.
        case trusted
        /// The plugin folder or one below it: libraries needed from there are copied beside the image.
        case origin
        /// Relative to the current folder of the process.
        case relative
        /// With a `$` at the start that is not the library's own folder.
        case token
        /// Outside the plugin folder, by `..`.
        case outside
        /// A folder that is a different one in each process.
        case process
        /// Others could put libraries there; `path` is the folder to blame: the entry's own, one above it, or one in it where
        /// the loader looks first.
        case writable(path: String)
        /// Any other: most likely a folder of the machine that built the library.
        case elsewhere
    }

    /// The folder as written.
    let text: String
    /// The finding about the folder.
    let finding: Finding
    /// Its path; nil where nothing may be loaded from.
    let folder: String?

    /// Judges a folder.
    ///
    /// - Parameters:
    ///   - origin: the value of `$ORIGIN`.
    ///   - loaded: the libraries that the host has mapped.
    init(_ text: String, origin: LibraryOrigin, loaded: LoadedLibraries, trust: FileTrust) {
        self.text = text
        let rest = Self.behindOrigin(text)
        if (rest ?? text[...]).contains("$") {
            (finding, folder) = (.token, nil)
        } else if let rest, origin.isPlugin {
            let leaves = rest.split(separator: "/").contains("..")
            (finding, folder) = leaves ? (.outside, nil) : (.origin, origin.folder.map { $0 + rest })
        } else {
            let path = rest.flatMap { rest in origin.folder.map { $0 + rest } } ?? text
            finding = Self.finding(about: path, loaded, trust)
            folder = [.trusted, .elsewhere].contains(finding) ? path : nil
        }
    }

    /// Whether to refuse the library for it.
    var isRefused: Bool { ![.trusted, .origin, .elsewhere].contains(finding) }

    /// The judgement about the folder at a path.
    private static func finding(about path: String, _ loaded: LoadedLibraries, _ trust: FileTrust) -> Finding
    {
        guard path.hasPrefix("/") else { return .relative }
        let plain = "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        if loaded.folders.contains(plain) || LibrarySearch.systemFolders.contains(plain) { return .trusted }
        do throws(LibraryFileError) {
            for folder in [path] + variants(of: path) {
                let walk = try PathWalk(folder, trust: trust)
                // Anyone who may add to the last folder can create what does not exist.
                if walk.isOpen, walk.status.map({ $0.st_mode & S_IFMT == S_IFDIR }) ?? true {
                    return .writable(
                        path: walk.status == nil ? SystemFile.parts(of: walk.place).folder : walk.place)
                }
            }
            return .elsewhere
        } catch {
            if case .processFolder = error.cause { return .process }
            return .writable(path: error.cause.path)
        }
    }

    /// The subfolders that the loader searches before the folder itself, each for certain processors.
    static func variants(of folder: String, depth: Int = 0) -> [String] {
        guard depth < 4 else { return [] }
        return subfolders.map { folder + "/" + $0 }.filter { SystemFile.status($0) != nil }
            .flatMap { variants(of: $0, depth: depth + 1) + [$0] }
    }

    /// The names of such folders; up to version 2.36 the loader also nests the older ones.
    private static let subfolders =
        ["v2", "v3", "v4"].map { "glibc-hwcaps/x86-64-" + $0 }
        + ["tls", "haswell", "xeon_phi", "avx512_1", "atomics"] + (ELFMachine.current.map { ["\($0)"] } ?? [])

    /// The rest of a path after the token for the library's own folder; nil for a path that does not begin with it.
    static func behindOrigin(_ text: String) -> Substring? {
        for word in ["$ORIGIN", "${ORIGIN}"] where text.hasPrefix(word) {
            let rest = text.dropFirst(word.count)
            if rest.isEmpty || rest.hasPrefix("/") { return rest }
        }
        return nil
    }
}

/// The folder of a library, which `$ORIGIN` expands to.
struct LibraryOrigin: Sendable {
    /// Its path; nil when unknown.
    let folder: String?
    /// Whether it is the plugin folder; libraries there are loaded from copies.
    let isPlugin: Bool
}
