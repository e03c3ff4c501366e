// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport

/// Everything that loading a library brings into the process, found as the loader finds it; loads nothing.
struct LibraryNeeds: Sendable {
    /// The libraries in the order in which the loader looks for them: direct needs, then the needs of these, and so
    /// on.
    private(set) var libraries: [NeededLibrary] = []
    /// The folders of its own run path, in order.
    private(set) var runPath: [RunPathEntry] = []
    /// The libraries to copy with it.
    private(set) var companions: [Companion] = []
    /// The reasons not to load it.
    private(set) var refusals: [NeedRefusal] = []
    /// The warnings.
    private(set) var warnings: [String] = []
    /// The path for each needed name; empty for libraries of the host.
    private(set) var places: [String: String] = [:]
    /// The path of the library that gives itself each name; nil for the library at the root.
    private(set) var owners: [String: String?] = [:]
    /// Identify the files found; another file has another stamp.
    private var stamps: [String] = []

    /// The maximum number of files that is read; real libraries bring a few dozen.
    private static let limit = 1_000

    /// A digest of everything brought along: of companions by their bytes, of system libraries by size and time.
    var digest: Digest { SHA256.digest(Array(stamps.joined(separator: "\n").utf8)) }

    /// The paths of the files found, without companions.
    var files: [String] {
        libraries.compactMap { library in
            if case .file(let path) = library.source { path } else { nil }
        }
    }

    /// The needs of a library that needs nothing.
    init() {}

    /// Searches for all needs.
    ///
    /// - Parameter folder: the folder of the library's file; nil when unknown.
    init(of section: DynamicSection, in folder: String?, search: LibrarySearch) {
        let origin = LibraryOrigin(folder: folder, isPlugin: true)
        runPath = search.runPath(of: section, origin: origin)
        for entry in runPath where entry.finding == .elsewhere {
            warnings.append(
                "its run path has \(Quotation.of(entry.text)), probably a folder of the machine that built it; link the plugin without it"
            )
        }
        if let name = section.soname { owners[name] = .some(nil) }
        var queue = [
            LibrarySearch.Asker(
                name: nil, origin: origin, section: section, runPath: runPath, inherited: search.hostRunPath)
        ]
        var index = 0
        while index < queue.count {
            take(queue[index], &queue, search)
            index += 1
        }
        for name in owners.keys.sorted() where search.loaded.names.contains(name) {
            refusals.append(.takenName(name, of: owners[name] ?? nil, by: nil))
        }
        if let name = section.soname, places[name] != nil, !search.loaded.names.contains(name) {
            refusals.append(.takenName(name, of: nil, by: "it"))
        }
    }

    /// Searches for the needs of one library, and queues what is found.
    private mutating func take(
        _ asker: LibrarySearch.Asker, _ queue: inout [LibrarySearch.Asker], _ search: LibrarySearch
    ) {
        refusals += asker.runPath.filter(\.isRefused).map { .runPath($0, of: asker.name) }
        for name in asker.section.needed where places[name] == nil {
            // The loader uses a loaded library of this name, whatever file it came from.
            if let owner = owners[name], let owner {
                places[name] = owner
                continue
            }
            places[name] = ""
            let (library, files): (NeededLibrary, [LibrarySearch.Match])
            do throws(NeedRefusal) {
                (library, files) = try search.find(name, for: asker)
            } catch {
                refusals.append(error)
                libraries.append(NeededLibrary(name: name, source: .unknown, asker: asker.name))
                continue
            }
            // Libraries of the host matter only as direct needs.
            if asker.name == nil || library.source != .loaded { libraries.append(library) }
            if library.isMissing { refusals.append(.missing(library)) }
            places[name] = files.first?.path ?? ""
            for file in files where queue.count < Self.limit {
                warnings += file.warnings.filter { !warnings.contains($0) }
                stamps.append(file.stamp)
                if let companion = file.companion { companions.append(companion) }
                if let name = file.section.soname { owners[name] = file.path }
                let origin =
                    file.companion == nil
                    ? LibraryOrigin(folder: SystemFile.parts(of: file.path).folder, isPlugin: false)
                    : asker.origin
                let older = asker.section.runpath.isEmpty ? asker.runPath : []
                queue.append(
                    LibrarySearch.Asker(
                        name: name, origin: origin, section: file.section,
                        runPath: search.runPath(of: file.section, origin: origin),
                        inherited: older + asker.inherited))
            }
        }
    }
}
