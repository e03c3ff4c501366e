// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
private import Glibc

/// The plugin libraries in one folder, each with its verdict; no code of them has run.
public struct PluginFolder: Sendable {
    /// One library file.
    public struct Candidate: Sendable {
        /// The name in the folder.
        public let fileName: String
        /// The path as messages show it.
        public let path: String
        /// The bytes that were judged; nil when they could not be read.
        public let file: SealedFile?
        /// What was found.
        public fileprivate(set) var verdict: Verdict

        /// The path of its folder as messages show it.
        var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

        /// The id that the library declares; nil when its note cannot be read.
        public var pluginID: String? { verdict.note?.manifest.id }
    }

    /// Where it is.
    public let path: String
    /// The files that end in `.so`, by name.
    public let candidates: [Candidate]
    /// What owner and mode gave reason to warn about.
    public let warnings: [String]

    /// Judges every library in a folder.
    ///
    /// - Throws: when the folder cannot be read or is not to be trusted.
    public init(path: String, trust: FileTrust) throws(LibraryFileError) {
        var warnings: [String] = []
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { throw .missing(path: path) }
            throw .system(path: path, call: "stat", reason: SystemReason.last)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFolder(path: path) }
        if let warning = try trust.check(path: path, owner: status.st_uid, mode: status.st_mode) {
            warnings.append(warning)
        }
        let search = LibrarySearch(trust: trust)
        let judged = Workers.map(try Self.libraryNames(in: path)) { name in
            Self.judge(name, in: path, trust: trust, search: search)
        }
        candidates = Self.apart(judged.map(\.candidate))
        warnings += judged.flatMap(\.warnings)
        self.path = path
        self.warnings = warnings
    }

    /// The same libraries, without those whose names would stand between another one and what it needs.
    ///
    /// The loader goes by the names that libraries give themselves, and a library that was refused later stays mapped.
    private static func apart(_ candidates: [Candidate]) -> [Candidate] {
        var candidates = candidates
        // Who needs a library of a name, by the file that it is.
        var needs: [String: [String: [Int]]] = [:]
        for (index, candidate) in candidates.enumerated() where candidate.verdict.isAccepted {
            for (name, place) in candidate.verdict.needs.places where !place.isEmpty {
                needs[name, default: [:]][place, default: []].append(index)
            }
        }
        // From the end, so that of two plugins that get into each other's way the first one stays.
        for index in candidates.indices.reversed() where candidates[index].verdict.isAccepted {
            let owners = candidates[index].verdict.needs.owners.sorted { $0.key < $1.key }
            for (name, owner) in owners {
                let others = (needs[name] ?? [:]).filter { $0.key != owner }.flatMap(\.value).sorted()
                guard let other = others.first(where: { $0 != index && candidates[$0].verdict.isAccepted })
                else { continue }
                let refusal = NeedRefusal.takenName(name, of: owner, by: candidates[other].fileName)
                candidates[index].verdict = candidates[index].verdict.refused(for: [.need(refusal)])
                break
            }
        }
        return candidates
    }

    /// Judges one library; called from several threads at once.
    private static func judge(
        _ name: String, in folder: String, trust: FileTrust, search: LibrarySearch
    ) -> (candidate: Candidate, warnings: [String]) {
        let path = folder + "/" + name
        let shown = Quotation.bare(path)
        do throws(LibraryFileError) {
            let file = try SealedFile(path: path, trust: trust)
            let verdict = unsafe try file.withBytes {
                unsafe Verdict(judging: $0, search: search, folder: folder)
            }
            var warnings = file.warnings
            if verdict.isAccepted { warnings += verdict.warnings.map { "\(shown): \($0)" } }
            return (Candidate(fileName: name, path: shown, file: file, verdict: verdict), warnings)
        } catch {
            let verdict = Verdict(refusing: error, note: note(of: path, refusedFor: error))
            return (Candidate(fileName: name, path: shown, file: nil, verdict: verdict), [])
        }
    }

    /// The note of a library that is refused for its owner or mode, so that it can still be told by its id.
    private static func note(of path: String, refusedFor error: LibraryFileError) -> PluginNote? {
        switch error {
        case .foreignOwner, .worldWritable, .groupWritable: break
        case .missing, .system, .notAFolder, .notARegularFile, .processFolder, .tooLarge, .behindLink:
            return nil
        }
        // A second failure adds nothing to the first.
        guard let file = try? SealedFile(path: path, trust: nil) else { return nil }
        return unsafe (try? file.withBytes { unsafe Verdict(judging: $0) })?.note
    }

    /// The names that end in `.so`, in order of their bytes.
    private static func libraryNames(in path: String) throws(LibraryFileError) -> [String] {
        guard let folder = unsafe opendir(path) else {
            throw .system(path: path, call: "opendir", reason: SystemReason.last)
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name.hasSuffix(".so") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
