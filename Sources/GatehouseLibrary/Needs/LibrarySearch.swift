// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Finds needed libraries where the dynamic loader of this process would find them; loads nothing.
///
/// The order is that of the loader: what the host has loaded, the run paths of older kind, `LD_LIBRARY_PATH`, the library's
/// own run path, the loader's cache, the system's folders. What would be taken is judged with everything that leads to it.
public struct LibrarySearch: Sendable {
    /// What the host has mapped.
    let loaded: LoadedLibraries
    /// Who may own and write the files.
    let trust: FileTrust
    /// What was read once for all plugins.
    private let memory = Memory()

    /// The folders that this program names for all that it loads.
    var hostRunPath: [RunPathEntry] {
        guard let (path, section) = Self.program, section.runpath.isEmpty else { return [] }
        return runPath(
            of: section, origin: LibraryOrigin(folder: SystemFile.parts(of: path).folder, isPlugin: false))
    }

    /// This program's file and what it tells the loader; nil when that cannot be read.
    private static let program: (path: String, section: DynamicSection)? = {
        let link = "/proc/self/exe"
        guard let path = try? SystemFile.target(of: link), let section = try? read(link).get().section else {
            return nil
        }
        return (path, section)
    }()

    /// A search from this process.
    public init(trust: FileTrust = FileTrust(isStrict: false)) {
        loaded = .host
        self.trust = trust
    }

    /// A library that asks for others.
    struct Asker {
        /// What messages call it; nil for the plugin.
        let name: String?
        /// The place of the library that asks.
        let origin: LibraryOrigin
        /// The dynamic section, which says what it needs.
        let section: DynamicSection
        /// The folders of its own run path.
        let runPath: [RunPathEntry]
        /// The folders that others on the way to it name for all below them.
        let inherited: [RunPathEntry]
    }

    /// One file that the loader may take.
    struct Match {
        /// The path of the file.
        let path: String
        /// What it asks for itself.
        let section: DynamicSection
        /// Its bytes, if it stands in the plugin folder.
        let companion: Companion?
        /// What tells that it is another one, without reading it.
        let stamp: String
        /// What owner and mode gave reason to warn about.
        let warnings: [String]
    }

    /// A judged folder of a run path.
    func entry(_ text: String, origin: LibraryOrigin) -> RunPathEntry {
        RunPathEntry(text, origin: origin, loaded: loaded, trust: trust)
    }

    /// The folders that a library names, judged.
    func runPath(of section: DynamicSection, origin: LibraryOrigin) -> [RunPathEntry] {
        section.searchPath.map { entry($0, origin: origin) }
    }

    /// What the loader would make of a need: where the library comes from, and the files of which one is taken.
    ///
    /// - Parameter name: as written; one with a slash is a path.
    /// - Throws: why the library must not be taken from where it would be.
    func find(_ name: String, for asker: Asker) throws(NeedRefusal) -> (
        library: NeededLibrary, files: [Match]
    ) {
        func library(_ source: NeededLibrary.Source) -> NeededLibrary {
            NeededLibrary(name: name, source: source, asker: asker.name)
        }
        if loaded.names.contains(name) { return (library(.loaded), []) }
        do throws(Misfit) {
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

    /// What keeps a search from going on.
    private enum Misfit: Error {
        /// What is there is not to be trusted.
        case file(LibraryFileError)
        /// What is there is no library.
        case bytes(path: String, ELFError)
        /// What is there would weaken the process.
        case hazard(path: String, ELFHazard)
        /// The need itself names a folder that is not to be trusted.
        case place(RunPathEntry)
        /// A variable of the environment decides where the loader looks.
        case variable(RunPathEntry)
    }

    /// The file at a path that a library asks for.
    private func named(_ name: String, _ asker: Asker) throws(Misfit) -> [Match] {
        let (folder, file) = SystemFile.parts(of: name)
        // A token may stand for folders.
        let place = entry(file.contains("$") ? name : folder, origin: asker.origin)
        guard !place.isRefused else { throw .place(place) }
        return try look(for: file, in: place, asker, isSearch: false)
    }

    /// The files of a name in the first folder that has some.
    private func searched(_ name: String, _ asker: Asker) throws(Misfit) -> [Match] {
        let isOld = asker.section.runpath.isEmpty
        for place in isOld ? asker.runPath + asker.inherited : [] {
            let files = try look(for: name, in: place, asker)
            if !files.isEmpty { return files }
        }
        let variable = SystemFile.variable("LD_LIBRARY_PATH") ?? ""
        // The loader takes nothing between two signs for the current folder.
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

    /// The files of a name in one folder, and in those inside it that are for some processors.
    ///
    /// - Parameter isSearch: whether the loader looks into those at all.
    private func look(
        for name: String, in place: RunPathEntry, _ asker: Asker, isSearch: Bool = true
    ) throws(Misfit) -> [Match] {
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

    /// Judges and reads a file; nil when the loader would go on: there is none, or it is for another machine.
    private func file(at path: String) throws(Misfit) -> Match? {
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

    /// Judges and copies a file in the plugin folder; nil also when it belongs to a stranger, who may put files into a folder
    /// with the sticky bit: it is not copied with the plugin, so the loader will not find it.
    private func companion(at name: String, in folder: String) throws(Misfit) -> Match? {
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

    /// A machine and what the loader is told, or why that cannot be read.
    private typealias Reading = Result<(machine: ELFMachine, section: DynamicSection), ELFError>

    /// Reads what a file tells the loader.
    private static func read(_ path: String) throws(LibraryFileError) -> Reading {
        try unsafe SystemFile.withSparseCopy(of: path) { copy, bytes in
            Result { () throws(ELFError) in try unsafe DynamicSection.read(bytes, loadedBy: copy) }
        }
    }

    /// What was read of a file; nil when it is for another machine.
    private static func section(
        _ reading: Reading, _ path: String
    ) throws(Misfit) -> DynamicSection? {
        switch reading {
        case .success(let file): return file.machine == .current ? file.section : nil
        case .failure(.is32Bit), .failure(.isBigEndian): return nil
        case .failure(let error): throw .bytes(path: path, error)
        }
    }

    /// What was read for one plugin and serves the others.
    private final class Memory: Sendable {
        /// The companions by their paths: plugins that share one share its bytes.
        let companions = Mutex<[String: Result<(SealedFile, [String]), LibraryFileError>]>([:])
        /// The loader's list, once somebody has asked for it.
        private let known = Mutex<[UInt8]?>(nil)

        /// The loader's list as it was when somebody first asked.
        var list: [UInt8] {
            known.withLock { known in
                let list = known ?? LoaderCache.bytes
                known = list
                return list
            }
        }
    }

    /// Where the loader looks in the end, with the folders that distributions add for each machine.
    static let systemFolders: [String] = {
        let machine = ELFMachine.current.map { "\($0)" } ?? ""
        return ["/lib", "/usr/lib"].map { "\($0)/\(machine)-linux-gnu" }
            + ["/lib", "/usr/lib", "/lib64", "/usr/lib64"]
    }()
}
