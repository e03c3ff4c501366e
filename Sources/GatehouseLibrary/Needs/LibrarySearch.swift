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
        func library(_ source: NeededLibrary.Source) -> NeededLibrary {
            NeededLibrary(name: name, source: source, asker: asker.name)
        }
        if loaded.names.contains(name) { return (library(.loaded), []) }
        do throws(SearchFailure) {
            let isPath = name.contains("/") || name.contains("$")
            let files = isPath ? try named(name, asker) : try searched(name, asker)
            if let first = files.first {
                guard !loaded.holds(first.path) else { return (library(.loaded), []) }
                return (library(first.companion == nil ? .file(first.path) : .companion(first.path)), files)
            }
        } catch {
            switch error {
            case .file(let error): throw .file(library(.unknown), error)
            case .bytes(let path, let error): throw .bytes(library(.file(path)), error)
            case .hazard(let path, let hazard): throw .hazard(library(.companion(path)), hazard)
            case .place(let entry): throw .place(library(.unknown), entry)
            case .variable(let entry): throw .libraryPath(entry)
            }
        }
        guard asker.origin.isPlugin, let folder = asker.origin.folder,
            SystemFile.status(folder + "/" + name) != nil
        else { return (library(.absent), []) }
        return (library(.beside), [])
    }

    /// A reason to stop a search.
    private enum SearchFailure: Error {
        /// The file is not trustworthy.
        case file(LibraryFileError)
        /// The file is not a library.
        case bytes(path: String, ELFError)
        /// The library would weaken the process.
        case hazard(path: String, ELFHazard)
        /// The need itself names a folder that is not trustworthy.
        case place(RunPathEntry)
        /// An environment variable decides where the loader looks.
        case variable(RunPathEntry)
    }

    /// The file at a path that a library needs.
    private func named(_ name: String, _ asker: Asker) throws(SearchFailure) -> [Match] {
        let (folder, file) = SystemFile.parts(of: name)
        // A token may expand to folders.
        let place = entry(file.contains("$") ? name : folder, origin: asker.origin)
        guard !place.isRefused else { throw .place(place) }
        return try look(for: file, in: place, asker, isSearch: false)
    }

    /// The files with a name in the first folder that has some.
    private func searched(_ name: String, _ asker: Asker) throws(SearchFailure) -> [Match] {
        let isOld = asker.section.runpath.isEmpty
        for place in isOld ? asker.runPath + asker.inherited : [] {
            let files = try look(for: name, in: place, asker)
            if !files.isEmpty { return files }
        }
        let variable = SystemFile.variable("LD_LIBRARY_PATH") ?? ""
        // For the loader an empty text between separators is the current folder.
        for text in variable.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == ":" || $0 == ";" })
        where !variable.isEmpty {
            let place = entry(String(text), origin: LibraryOrigin(folder: nil, isPlugin: false))
            guard !place.isRefused else { throw .variable(place) }
            let files = try look(for: name, in: place, asker)
            if !files.isEmpty { return files }
        }
        for place in isOld ? [] : asker.runPath {
            let files = try look(for: name, in: place, asker)
            if !files.isEmpty { return files }
        }
        var files: [Match] = []
        for path in LoaderCache.paths(of: name, in: memory.list) {
            files += try file(at: path).map { [$0] } ?? []
        }
        for folder in Self.systemFolders where files.isEmpty {
            files = try look(for: name, in: entry(folder, origin: asker.origin), asker)
        }
        return files
    }

    /// The files with a name in one folder, and in its subfolders for some processors.
    ///
    /// - Parameter isSearch: whether the loader looks into those at all.
    private func look(
        for name: String, in place: RunPathEntry, _ asker: Asker, isSearch: Bool = true
    ) throws(SearchFailure) -> [Match] {
        guard let folder = place.folder else { return [] }
        if place.finding == .origin, let root = asker.origin.folder {
            return try companion(at: String((folder + "/" + name).dropFirst(root.count)), in: root).map {
                [$0]
            } ?? []
        }
        var files: [Match] = []
        for folder in (isSearch ? RunPathEntry.variants(of: folder) : []) + [folder] {
            files += try file(at: folder + "/" + name).map { [$0] } ?? []
        }
        return files
    }

    /// Judges and reads a file; nil when the loader would continue: there is none, or it is for another machine.
    private func file(at path: String) throws(SearchFailure) -> Match? {
        guard SystemFile.status(path) != nil else { return nil }
        let reading = Result { () throws(LibraryFileError) in
            let (status, warnings) = try trust.judge(path)
            return (status, warnings, try Self.read(path))
        }
        switch reading {
        case .failure(let error): throw .file(error)
        case .success(let (status, warnings, section)):
            let (size, time) = (status.st_size, status.st_mtim)
            return try Self.section(section, path).map {
                Match(
                    path: path, section: $0, companion: nil,
                    stamp: "\(path) \(size) \(time.tv_sec).\(time.tv_nsec)", warnings: warnings)
            }
        }
    }

    /// Judges and copies a file in the plugin folder; nil also for a file of a stranger, who may put files into a folder with
    /// the sticky bit: it is not copied with the plugin, so the loader will not find it.
    private func companion(at name: String, in folder: String) throws(SearchFailure) -> Match? {
        let parts = name.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        let reading = memory.companions.withLock { known in
            known[folder + "/" + parts]
                ?? Result { () throws(LibraryFileError) in
                    let walk = try PathWalk(parts, from: folder, trust: trust)
                    guard walk.status != nil else { throw .missing(path: walk.place) }
                    let file = try SealedFile(path: walk.place, trust: trust)
                    known[folder + "/" + parts] = .success((file, walk.warnings + file.warnings))
                    return (file, walk.warnings + file.warnings)
                }
        }
        switch reading {
        case .failure(let error):
            switch error.cause {
            case .missing, .foreignOwner: return nil
            default: throw .file(error)
            }
        case .success(let (file, warnings)):
            let image: Result<ELFImage, ELFError>
            do throws(LibraryFileError) {
                image = try unsafe file.withBytes { bytes in
                    Result { () throws(ELFError) in try unsafe ELFImage(reading: bytes) }
                }
            } catch {
                throw .file(error)
            }
            let section: Reading = image.flatMap { image in
                image.dynamic.map { .success((machine: image.header.machine, section: $0)) }
                    ?? .failure(.missing(.dynamicSection, tag: "PT_DYNAMIC"))
            }
            if let image = try? image.get(), image.header.machine == .current,
                let hazard = image.hazards.first
            {
                throw .hazard(path: file.path, hazard)
            }
            return try Self.section(section, file.path).map {
                Match(
                    path: file.path, section: $0, companion: Companion(name: parts, file: file),
                    stamp: "\(parts) \(file.digest.hex)", warnings: warnings)
            }
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
        _ reading: Reading, _ path: String
    ) throws(SearchFailure) -> DynamicSection? {
        switch reading {
        case .success(let file): return file.machine == .current ? file.section : nil
        case .failure(.is32Bit), .failure(.isBigEndian): return nil
        case .failure(let error): throw .bytes(path: path, error)
        }
    }

    /// The files read for one plugin and reused for the others.
    private final class Memory: Sendable {
        /// The companions by their paths: plugins that share one share its bytes.
        let companions = Mutex<[String: Result<(SealedFile, [String]), LibraryFileError>]>([:])
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
