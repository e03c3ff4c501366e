// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// One folder where a library asks the loader to look for what it needs, and what to think of it.
///
/// Whoever may write to such a folder can put code into the host.
public struct RunPathEntry: Equatable, Sendable {
    /// What was found out about the folder.
    public enum Finding: Equatable, Sendable {
        /// The system's, or one that this process was itself loaded from.
        case trusted
        /// The plugin folder or one below it: what is needed there is copied beside the image.
        case origin
        /// Below the folder that the process happens to be in.
        case relative
        /// With a `$` that stands for something else than the library's own folder, at the start.
        case token
        /// Out of the plugin folder, by `..`.
        case outside
        /// A folder that means another one in each process.
        case process
        /// Somebody else could put libraries there; `path` is the folder to blame: the entry's own, one above it, or one in it
        /// where the loader looks first.
        case writable(path: String)
        /// Any other: most likely a folder of the machine that built the library.
        case elsewhere
    }

    /// The folder as written.
    public let text: String
    /// The finding about the folder.
    public let finding: Finding
    /// Where it is; nil where nothing may be taken from.
    let folder: String?

    /// Looks at a folder.
    ///
    /// - Parameters:
    ///   - origin: what `$ORIGIN` stands for.
    ///   - loaded: what the host has mapped.
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

    /// Whether the library is to be refused for it.
    var isRefused: Bool { ![.trusted, .origin, .elsewhere].contains(finding) }

    /// What there is to say about the folder at a path.
    private static func finding(about path: String, _ loaded: LoadedLibraries, _ trust: FileTrust) -> Finding
    {
        guard path.hasPrefix("/") else { return .relative }
        let plain = "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        if loaded.folders.contains(plain) || LibrarySearch.systemFolders.contains(plain) { return .trusted }
        do throws(LibraryFileError) {
            for folder in [path] + variants(of: path) {
                let walk = try PathWalk(folder, trust: trust)
                // Who may add to the last folder can make what is not there.
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

    /// The folders inside a folder where the loader looks before it looks there: each is for some processors.
    static func variants(of folder: String, depth: Int = 0) -> [String] {
        guard depth < 4 else { return [] }
        return subfolders.map { folder + "/" + $0 }.filter { SystemFile.status($0) != nil }
            .flatMap { variants(of: $0, depth: depth + 1) + [$0] }
    }

    /// What such folders are called; up to version 2.36 the loader also puts the older ones into each other.
    private static let subfolders =
        ["v2", "v3", "v4"].map { "glibc-hwcaps/x86-64-" + $0 }
        + ["tls", "haswell", "xeon_phi", "avx512_1", "atomics"] + (ELFMachine.current.map { ["\($0)"] } ?? [])

    /// What stands behind the word for the library's own folder; nil for a path that does not begin with it.
    static func behindOrigin(_ text: String) -> Substring? {
        for word in ["$ORIGIN", "${ORIGIN}"] where text.hasPrefix(word) {
            let rest = text.dropFirst(word.count)
            if rest.isEmpty || rest.hasPrefix("/") { return rest }
        }
        return nil
    }
}

/// The folder of a library, for which `$ORIGIN` stands.
struct LibraryOrigin: Sendable {
    /// Its path; nil when it is not known.
    let folder: String?
    /// Whether it is the plugin folder; libraries there are loaded from copies.
    let isPlugin: Bool
}
