// SPDX-License-Identifier: Apache-2.0

/// Finds needed libraries where the dynamic loader of this process would find them; loads nothing.
///
/// The order is that of the loader: what is loaded, `LD_LIBRARY_PATH`, the library's run path, the loader's cache, the
/// system's folders. A plugin is loaded from a copy in memory, so `$ORIGIN` in its run path leads nowhere,
/// unless it climbs to the root.
public struct LibrarySearch: Sendable {
    /// What this process has mapped.
    let loaded: LoadedLibraries

    /// The state of this process at this moment.
    public static var current: LibrarySearch { LibrarySearch(loaded: .current) }

    /// What the loader would make of a need.
    ///
    /// - Parameters:
    ///   - name: as written; one with a slash is a path.
    ///   - runPath: the folders that the asking library names.
    ///   - folder: where that library's file stands; nil when it is not known.
    func find(_ name: String, runPath: [String], folder: String?) -> NeededLibrary {
        NeededLibrary(name: name, source: source(of: name, runPath: runPath, folder: folder))
    }

    /// Where the loader gets a library from, in the order above.
    private func source(of name: String, runPath: [String], folder: String?) -> NeededLibrary.Source {
        if name.contains("/") {
            return name.hasPrefix("/") && SystemFile.isFile(name) ? .file(name) : .absent
        }
        if loaded.names.contains(name) { return .loaded }
        let chosen = (SystemFile.variable("LD_LIBRARY_PATH") ?? "").split { $0 == ":" || $0 == ";" }.map(
            String.init)
        let folders = chosen.filter { $0.hasPrefix("/") } + runPath.compactMap(RunPathEntry.systemPath)
        for folder in folders {
            let path = folder + "/" + name
            if SystemFile.isFile(path) { return .file(path) }
        }
        if let path = LoaderCache.path(of: name), SystemFile.isFile(path) { return .file(path) }
        for folder in Self.systemFolders {
            let path = folder + "/" + name
            if SystemFile.isFile(path) { return .file(path) }
        }
        if let folder, SystemFile.isFile(folder + "/" + name) { return .beside }
        return .absent
    }

    /// Where the loader looks in the end, with the folders that distributions add for each machine.
    static let systemFolders: [String] = {
        let machine = ELFMachine.current.map { "\($0)" } ?? ""
        return ["/lib", "/usr/lib", "/lib64", "/usr/lib64"]
            + ["/lib", "/usr/lib"].map { "\($0)/\(machine)-linux-gnu" }
    }()
}

/// A library that another one asks for, and what the loader would make of it.
public struct NeededLibrary: Equatable, Sendable {
    /// Where the loader gets it from.
    public enum Source: Equatable, Sendable {
        /// The host has it already, so nobody looks for it.
        case loaded
        /// A file at this path.
        case file(String)
        /// Nowhere, although a file of this name stands beside the plugin.
        case beside
        /// Nowhere.
        case absent
        /// Not looked for: the plugin is for another machine.
        case unknown
    }

    /// The name as the plugin asks for it.
    public let name: String
    /// Where it comes from.
    public let source: Source

    /// Whether loading the plugin would fail for want of it.
    public var isMissing: Bool { source == .absent || source == .beside }
}
