// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Finds needed libraries where the dynamic loader of this process would find them; loads nothing.
///
/// The order is that of the loader: the libraries of the host, run paths of the older kind, `LD_LIBRARY_PATH`, the library's
/// own run path, the loader's cache, the system's folders. Each candidate is judged with everything that leads to it.
package struct LibrarySearch: Sendable {
    /// The libraries that the host has mapped.
    let loaded: LoadedLibraries
    /// The rules for owners and modes of the files.
    let trust: FileTrust
    /// The files read once for all plugins.
    private let memory = Memory()

    /// The run path of this program, which applies to everything it loads.
    var hostRunPath: [RunPathEntry] {
        guard let (path, section) = Self.program, section.runpath.isEmpty else { return [] }
        return runPath(
            of: section, origin: LibraryOrigin(folder: SystemFile.parts(of: path).folder, isPlugin: false))
    }

    /// This program's file and its dynamic section; nil when that cannot be read.
    private static let program: (path: String, section: DynamicSection)? = {
        let link = "/proc/self/exe"
        guard let path = try? SystemFile.target(of: link), let section = try? read(link).get().section else {
            return nil
        }
        return (path, section)
    }()

    /// A search from this process.
    package init(trust: FileTrust = FileTrust(isStrict: false)) {
        loaded = .host
        self.trust = trust
    }

    /// A library that needs others.
    struct Asker {
        /// Its name in messages; nil for the plugin.
        let name: String?
        /// The place of the library that asks.
        let origin: LibraryOrigin
        /// The dynamic section, which lists its needs.
        let section: DynamicSection
        /// The folders of its own run path.
        let runPath: [RunPathEntry]
        /// The folders that libraries above it name for everything below them.
        let inherited: [RunPathEntry]
    }

    /// One file that the loader may use.
    struct Match {
        /// The path of the file.
        let path: String
        /// Its own dynamic section.
        let section: DynamicSection
        /// Its bytes, if it is in the plugin folder.
        let companion: Companion?
        /// Identifies the file without reading it.
        let stamp: String
        /// Warnings about owner and mode.
        let warnings: [String]
    }

    /// A judged folder of a run path.
    func entry(_ text: String, origin: LibraryOrigin) -> RunPathEntry {
        RunPathEntry(text, origin: origin, loaded: loaded, trust: trust)
    }

    /// The judged run path of a library.
    func runPath(of section: DynamicSection, origin: LibraryOrigin) -> [RunPathEntry] {
        section.searchPath.map { entry($0, origin: origin) }
    }

    /// The loader's result for a need: the source of the library, and the files of which the loader takes one.
    ///
    /// - Parameter name: as written; one with a slash is a path.
    /// - Throws: the reason why the library must not be loaded from there.
    func find(_ name: String, for asker: Asker) throws(NeedRefusal) -> (
        library: NeededLibrary, files: [Match]
    ) {
        let need = Need(name: name, asker: asker)
        if loaded.names.contains(name) { return (need.library(.loaded), []) }
        let isPath = name.contains("/") || name.contains("$")
        let files = isPath ? try named(need) : try searched(need)
        if let first = files.first {
            guard !loaded.holds(first.path) else { return (need.library(.loaded), []) }
            return (need.library(first.companion == nil ? .file(first.path) : .companion(first.path)), files)
        }
        guard asker.origin.isPlugin, let folder = asker.origin.folder,
            SystemFile.status(folder + "/" + name) != nil
        else { return (need.library(.absent), []) }
        return (need.library(.beside), [])
    }

    /// A name that a library needs.
    private struct Need {
        /// As written.
        let name: String
        /// The library that needs it.
        let asker: Asker

        /// What it leads to.
        func library(_ source: NeededLibrary.Source) -> NeededLibrary {
            NeededLibrary(name: name, source: source, asker: asker.name)
        }
    }

    /// The file at a path that a library needs.
    private func named(_ need: Need) throws(NeedRefusal) -> [Match] {
        let (folder, file) = SystemFile.parts(of: need.name)
        // A token may expand to folders.
        let place = entry(file.contains("$") ? need.name : folder, origin: need.asker.origin)
        guard !place.isRefused else { throw .place(need.library(.unknown), place) }
        return try look(for: file, in: place, need, isSearch: false)
    }

    /// The files with a name in the first folder that has some.
    private func searched(_ need: Need) throws(NeedRefusal) -> [Match] {
        let (name, asker) = (need.name, need.asker)
        let isOld = asker.section.runpath.isEmpty
        for place in isOld ? asker.runPath + asker.inherited : [] {
            let files = try look(for: name, in: place, need)
            if !files.isEmpty { return files }
        }
        let variable = SystemFile.variable("LD_LIBRARY_PATH") ?? ""
        // For the loader an empty text between separators is the current folder.
        for text in variable.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == ":" || $0 == ";" })
        where !variable.isEmpty {
            let place = entry(String(text), origin: LibraryOrigin(folder: nil, isPlugin: false))
            guard !place.isRefused else { throw .libraryPath(place) }
            let files = try look(for: name, in: place, need)
            if !files.isEmpty { return files }
        }
        for place in isOld ? [] : asker.runPath {
            let files = try look(for: name, in: place, need)
            if !files.isEmpty { return files }
        }
        var files: [Match] = []
        for path in LoaderCache.paths(of: name, in: memory.list) {
            files += try file(at: path, need).map { [$0] } ?? []
        }
        for folder in Self.systemFolders where files.isEmpty {
            files = try look(for: name, in: entry(folder, origin: asker.origin), need)
        }
        return files
    }

    /// The files with a name in one folder, and in its subfolders for some processors.
    ///
    /// - Parameter isSearch: whether the loader looks into those at all.
    private func look(
        for name: String, in place: RunPathEntry, _ need: Need, isSearch: Bool = true
    ) throws(NeedRefusal) -> [Match] {
        guard let folder = place.folder else { return [] }
        if place.finding == .origin, let root = need.asker.origin.folder {
            let inner = String((folder + "/" + name).dropFirst(root.count))
            return try companion(at: inner, in: root, need).map { [$0] } ?? []
        }
        var files: [Match] = []
        for folder in (isSearch ? RunPathEntry.variants(of: folder) : []) + [folder] {
            files += try file(at: folder + "/" + name, need).map { [$0] } ?? []
        }
        return files
    }

    /// Judges and reads a file; nil when the loader would continue: there is none, or it is for another machine.
    private func file(at path: String, _ need: Need) throws(NeedRefusal) -> Match? {
        guard SystemFile.status(path) != nil else { return nil }
        let (status, warnings): (stat, [String])
        let reading: Reading
        do throws(LibraryFileError) {
            (status, warnings) = try trust.judge(path)
            reading = try Self.read(path)
        } catch {
            throw .file(need.library(.unknown), error)
        }
        let (size, time) = (status.st_size, status.st_mtim)
        return try Self.section(reading, path, need).map {
            Match(
                path: path, section: $0, companion: nil,
                stamp: "\(path) \(size) \(time.tv_sec).\(time.tv_nsec)", warnings: warnings)
        }
    }

    /// Judges and copies a file in the plugin folder; nil also for a file of a stranger, who may put files into a folder with
    /// the sticky bit: it is not copied with the plugin, so the loader will not find it.
    private func companion(
        at name: String, in folder: String, _ need: Need
    ) throws(NeedRefusal) -> Match? {
        let parts = name.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        let (file, warnings): (SealedFile, [String])
        let image: Result<ELFImage, ELFError>
        do throws(LibraryFileError) {
            (file, warnings) = try memory.companions.withLock { known throws(LibraryFileError) in
                if let found = known[folder + "/" + parts] { return found }
                let walk = try PathWalk(parts, from: folder, trust: trust)
                guard walk.status != nil else { throw .missing(path: walk.place) }
                let file = try SealedFile(path: walk.place, trust: trust)
                known[folder + "/" + parts] = (file, walk.warnings + file.warnings)
                return (file, walk.warnings + file.warnings)
            }
            image = try unsafe file.withBytes { bytes in
                Result { () throws(ELFError) in try unsafe ELFImage(reading: bytes) }
            }
        } catch {
            switch error.cause {
            case .missing, .foreignOwner: return nil
            default: throw .file(need.library(.unknown), error)
            }
        }
        if case .success(let image) = image, image.header.machine == .current,
            let hazard = image.hazards.first
        {
            throw .hazard(need.library(.companion(file.path)), hazard)
        }
        let reading: Reading = image.flatMap { image in
            image.dynamic.map { .success((machine: image.header.machine, section: $0)) }
                ?? .failure(.missing(.dynamicSection, tag: "PT_DYNAMIC"))
        }
        return try Self.section(reading, file.path, need).map {
            Match(
                path: file.path, section: $0, companion: Companion(name: parts, file: file),
                stamp: "\(parts) \(file.digest.hex)", warnings: warnings)
        }
    }

    /// A machine and the dynamic section, or why they cannot be read.
    private typealias Reading = Result<(machine: ELFMachine, section: DynamicSection), ELFError>

    /// Reads the dynamic section of a file.
    private static func read(_ path: String) throws(LibraryFileError) -> Reading {
        try unsafe SystemFile.withSparseCopy(of: path) { copy, bytes in
            Result { () throws(ELFError) in try unsafe DynamicSection.read(bytes, loadedBy: copy) }
        }
    }

    /// The dynamic section that was read; nil for another machine.
    private static func section(
        _ reading: Reading, _ path: String, _ need: Need
    ) throws(NeedRefusal) -> DynamicSection? {
        switch reading {
        case .success(let file): return file.machine == .current ? file.section : nil
        case .failure(.is32Bit), .failure(.isBigEndian): return nil
        case .failure(let error): throw .bytes(need.library(.file(path)), error)
        }
    }

    /// The files read for one plugin and reused for the others.
    private final class Memory: Sendable {
        /// The companions by their paths: plugins that share one share its bytes.
        let companions = Mutex<[String: (SealedFile, [String])]>([:])
        /// The loader's cache, after its first use.
        private let known = Mutex<[UInt8]?>(nil)

        /// The loader's cache as it was at the first use.
        var list: [UInt8] {
            known.withLock { known in
                let list = known ?? LoaderCache.bytes
                known = list
                return list
            }
        }
    }

    /// The folders that the loader searches last, including those that distributions add for each machine.
    static let systemFolders: [String] = {
        let machine = ELFMachine.current.map { "\($0)" } ?? ""
        return ["/lib", "/usr/lib"].map { "\($0)/\(machine)-linux-gnu" }
            + ["/lib", "/usr/lib", "/lib64", "/usr/lib64"]
    }()
}
