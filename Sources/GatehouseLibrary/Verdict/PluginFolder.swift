// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
package import GatehouseSupport
private import Glibc

/// The plugin libraries in one folder, each with its verdict; none of their code has run.
package struct PluginFolder: Sendable {
    /// One library file in the folder, with its verdict.
    package struct Candidate: Sendable {
        /// The facts that all uses of a library share, so that a further instance takes no memory for them.
        private final class Facts: Sendable {
            /// The name in the folder.
            let fileName: String
            /// The path as messages show it.
            let path: String
            /// SHA-256 of the bytes; nil when they could not be read.
            let digest: Digest?
            /// The verdict on the file.
            let verdict: Verdict
            /// The declarations of its note; nil when that cannot be read.
            let description: PluginDescription?
            /// Who vouches for it; nil where nobody has to.
            let endorsement: Endorsement?
            /// Identifies the loaded bytes, in binary and in hexadecimal; nil for a library that is not loaded.
            let image: (digest: Digest, hex: String)?

            /// Facts about a library; `file` is nil when it must not be loaded.
            init(
                fileName: String, path: String, digest: Digest?, file: SealedFile?, verdict: Verdict,
                endorsement: Endorsement?
            ) {
                self.fileName = fileName
                self.path = path
                self.digest = digest
                self.verdict = verdict
                self.endorsement = endorsement
                description = verdict.note.map { PluginDescription($0.manifest) }
                image = file.map { file in
                    let digest = ImageContent(file, with: verdict.companions).digest
                    return (digest, digest.hex)
                }
            }
        }

        /// The shared facts about the file.
        private var facts: Facts
        /// The judged bytes; nil when they could not be read, or are no longer needed: they hold memory and a descriptor.
        package private(set) var file: SealedFile?

        /// The name in the folder.
        package var fileName: String { facts.fileName }
        /// The path as messages show it.
        package var path: String { facts.path }
        /// SHA-256 of the bytes; nil when they could not be read.
        package var digest: Digest? { facts.digest }
        /// The verdict on the file.
        package var verdict: Verdict { facts.verdict }
        /// The declarations of its note; nil when that cannot be read.
        package var description: PluginDescription? { facts.description }
        /// Who vouches for the bytes; nil where no policy asks, and where that could not be told.
        package var endorsement: Endorsement? { facts.endorsement }
        /// Identifies the bytes of the library and of all that it brings from its folder; nil for one that is not loaded.
        package var imageDigest: Digest? { facts.image?.digest }
        /// The image digest in hexadecimal.
        package var imageHex: String? { facts.image?.hex }

        /// The path of its folder as messages show it.
        package var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

        /// A judged library; the bytes of a refused one are not kept.
        fileprivate init(
            fileName: String, path: String, file: SealedFile?, verdict: Verdict,
            endorsement: Endorsement? = nil
        ) {
            self.file = verdict.isAccepted ? file : nil
            facts = Facts(
                fileName: fileName, path: path, digest: file?.digest, file: self.file, verdict: verdict,
                endorsement: endorsement)
        }

        /// The candidate without its bytes.
        package var withoutFile: Candidate {
            var candidate = self
            candidate.file = nil
            return candidate
        }

        /// The candidate, refused for a further reason.
        fileprivate func refused(for reason: Refusal) -> Candidate {
            var candidate = withoutFile
            candidate.facts = Facts(
                fileName: fileName, path: path, digest: digest, file: nil,
                verdict: verdict.refused(for: [reason]), endorsement: endorsement)
            return candidate
        }

        /// The id that the library declares; nil when its note cannot be read.
        package var pluginID: String? { verdict.note?.manifest.id }
    }

    /// Selects libraries of a folder.
    package struct Selection: Sendable {
        /// The file names of the libraries to judge first.
        package let files: Set<String>
        /// The declared ids of further libraries to judge first.
        package let ids: Set<String>
        /// Whether to judge only these.
        package let isOnly: Bool

        /// Libraries with one of these names or ids, and, unless `isOnly`, all others after them.
        package init(files: Set<String>, ids: Set<String>, isOnly: Bool) {
            self.files = files
            self.ids = ids
            self.isOnly = isOnly
        }

        /// All libraries in the folder.
        package static let all = Selection(files: [], ids: [], isOnly: false)

        /// Whether to judge a library first.
        fileprivate func names(_ file: String, declaring id: String?) -> Bool {
            files.contains(file) || id.map(ids.contains) ?? false
        }
    }

    /// The path of the folder.
    package let path: String
    /// The names that end in `.so`, in order of their bytes.
    package let fileNames: [String]
    /// The selected libraries, by name.
    package private(set) var candidates: [Candidate]
    /// The ids that libraries here declare, as far as their notes were read.
    package let pluginIDs: [String]
    /// Warnings about owner and mode.
    package let warnings: [String]

    /// Judges the libraries in a folder.
    ///
    /// - Parameter signing: finds out who vouches for them; nil where nobody has to.
    /// - Throws: when the folder cannot be read, or it or a folder above it is not trustworthy.
    package init(
        path: String, trust: FileTrust, signing: SigningJudge? = nil, selecting selection: Selection = .all
    ) throws(LibraryFileError) {
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
        let walk = try PathWalk(path, trust: trust)
        // Warnings about the folder itself use the name it was given.
        warnings += walk.warnings.filter { !$0.hasPrefix(walk.place + ": ") }
        fileNames = try Self.libraryNames(in: path)
        let search = LibrarySearch(trust: trust)
        let versions = InstalledVersions(trust: trust)
        let (names, ids) = Self.select(selection, from: fileNames, in: path)
        let judged = Self.judge(names, first: selection, in: path) { name in
            Self.judge(name, in: path, trust: trust, signing: signing, search: search, versions: versions)
        }
        candidates = Self.apart(judged.map(\.candidate))
        pluginIDs = ids + candidates.compactMap(\.pluginID)
        warnings += judged.flatMap(\.warnings) + versions.warnings
        self.path = path
        self.warnings = warnings
    }

    /// The same folder with a library in place of those with its plugin id, under their names.
    ///
    /// - Throws: that none has its plugin id, or why the library cannot be judged; a sentence.
    package func replacing(
        with path: String, trust: FileTrust, signing: SigningJudge?
    ) throws(Diagnostic) -> PluginFolder {
        let (folder, name) = SystemFile.parts(of: path)
        let candidate = Self.candidate(name, in: folder, trust: trust, signing: signing)
        guard let id = candidate.pluginID else {
            throw Diagnostic(
                .error, refusing: candidate.path, for: nil,
                because: candidate.verdict.refusals.map(\.description))
        }
        var replaced = self
        for index in candidates.indices where candidates[index].pluginID == id {
            replaced.candidates[index] = Candidate(
                fileName: candidates[index].fileName, path: candidate.path, file: candidate.file,
                verdict: candidate.verdict, endorsement: candidate.endorsement)
        }
        guard candidates.contains(where: { $0.pluginID == id }) else {
            throw Diagnostic(
                .error,
                "\(candidate.path): no library in \(self.path) that is used declares the plugin id \"\(id)\"; name a library of a plugin that is"
            )
        }
        return replaced
    }

    /// Judges one library by itself, with what it needs from its folder.
    ///
    /// - Parameters:
    ///   - signing: finds out who vouches for it; nil where nobody has to.
    ///   - signature: what was signed when it came; nil for what lies beside it.
    ///   - versions: the installed versions; nil to look for them.
    package static func candidate(
        _ name: String, in folder: String, trust: FileTrust, signing: SigningJudge? = nil,
        signature: String? = nil, versions: InstalledVersions? = nil
    ) -> Candidate {
        judge(
            name, in: folder, trust: trust, signing: signing, signature: signature,
            search: LibrarySearch(trust: trust), versions: versions ?? InstalledVersions(trust: trust)
        ).candidate
    }

    /// The names of the selected libraries, and the ids that others declare.
    private static func select(
        _ selection: Selection, from names: [String], in folder: String
    ) -> (names: [String], ids: [String]) {
        guard selection.isOnly else { return (names, []) }
        guard !selection.ids.isEmpty else { return (names.filter(selection.files.contains), []) }
        let found = Self.ids(of: names, unless: selection.files, in: folder)
        let selected = zip(names, found).filter(selection.names)
        return (selected.map(\.0), found.compactMap { $0 }.filter { !selection.ids.contains($0) })
    }

    /// The ids that libraries declare, in the order of their names; nil for those selected by name.
    private static func ids(
        of names: [String], unless known: Set<String>, in folder: String
    ) -> [String?] {
        Parallel.map(names) { known.contains($0) ? nil : note(of: folder + "/" + $0)?.manifest.id }
    }

    /// The number of libraries judged before surplus ones are released.
    private static let group = 64

    /// The maximum number of libraries whose bytes are held at once: half of the files that this process may open.
    private static var most: Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 512 }
        return Int(min(limit.rlim_cur, 1 << 20)) / 2
    }

    /// Judges libraries, those that the configuration names first, so that no others can take the descriptors they need.
    ///
    /// - Returns: the verdicts in the order of the names.
    private static func judge(
        _ names: [String], first selection: Selection, in folder: String,
        by judge: @escaping @Sendable (String) -> (candidate: Candidate, warnings: [String])
    ) -> [(candidate: Candidate, warnings: [String])] {
        guard names.count > group else { return Parallel.map(names, judge) }
        let found =
            selection.ids.isEmpty
            ? names.map { _ in nil } : ids(of: names, unless: selection.files, in: folder)
        let all = zip(names, found)
        let queue =
            all.filter(selection.names).map(\.0) + all.filter { !selection.names($0, declaring: $1) }.map(\.0)
        let most = most
        var held = 0
        var judged: [String: (candidate: Candidate, warnings: [String])] = [:]
        for start in stride(from: 0, to: queue.count, by: group) {
            let part = Array(queue[start..<min(start + group, queue.count)])
            for (name, var result) in zip(part, Parallel.map(part, judge)) {
                if result.candidate.file != nil {
                    held += 1 + result.candidate.verdict.companions.count
                    if held > most { result.candidate = result.candidate.refused(for: .tooMany(limit: most)) }
                }
                judged[name] = result
            }
        }
        return names.compactMap { judged[$0] }
    }

    /// Refuses libraries whose names would prevent others from finding what they need.
    ///
    /// The loader goes by the names that libraries give themselves, and a library that was refused later stays mapped.
    private static func apart(_ candidates: [Candidate]) -> [Candidate] {
        var candidates = candidates
        // The libraries that need a name, by the file it refers to.
        var needs: [String: [String: [Int]]] = [:]
        for (index, candidate) in candidates.enumerated() where candidate.verdict.isAccepted {
            for (name, place) in candidate.verdict.needs.places where !place.isEmpty {
                needs[name, default: [:]][place, default: []].append(index)
            }
        }
        // From the end, so that of two conflicting plugins the first one stays.
        for index in candidates.indices.reversed() where candidates[index].verdict.isAccepted {
            let owners = candidates[index].verdict.needs.owners.sorted { $0.key < $1.key }
            for (name, owner) in owners {
                let others = (needs[name] ?? [:]).filter { $0.key != owner }.flatMap(\.value).sorted()
                guard let other = others.first(where: { $0 != index && candidates[$0].verdict.isAccepted })
                else { continue }
                let refusal = NeedRefusal.takenName(name, of: owner, by: candidates[other].fileName)
                candidates[index] = candidates[index].refused(for: .need(refusal))
                break
            }
        }
        return candidates
    }

    /// Judges one library; called from several threads at once.
    private static func judge(
        _ name: String, in folder: String, trust: FileTrust, signing: SigningJudge?, signature: String? = nil,
        search: LibrarySearch, versions: InstalledVersions
    ) -> (candidate: Candidate, warnings: [String]) {
        let path = folder + "/" + name
        let shown = Quotation.bare(path)
        do throws(LibraryFileError) {
            let file = try SealedFile(path: path, trust: trust)
            var verdict = unsafe try file.withBytes {
                unsafe Verdict(judging: $0, search: search, folder: folder, versions: versions)
            }
            var endorsement: Endorsement?
            if let signing, let manifest = verdict.note?.manifest {
                do throws(SignatureError) {
                    let text =
                        if let signature { Array(signature.utf8) } else {
                            try SigningJudge.signature(beside: path)
                        }
                    endorsement = try signing.endorsement(
                        of: ImageContent(file, with: verdict.companions), manifest, by: text)
                } catch {
                    verdict = verdict.refused(for: [.signature(error)])
                }
            }
            var warnings = file.warnings
            if verdict.isAccepted { warnings += verdict.warnings.map { "\(shown): \($0)" } }
            return (
                Candidate(
                    fileName: name, path: shown, file: file, verdict: verdict, endorsement: endorsement),
                warnings
            )
        } catch {
            let isQuoted = error == .missing(path: path) && name.contains("\\x")
            let verdict = Verdict(refusing: isQuoted ? .unnamed(path: path) : error, note: note(of: path))
            return (Candidate(fileName: name, path: shown, file: nil, verdict: verdict), [])
        }
    }

    /// Reads only the note of a library, to identify even one that is refused for its mode.
    ///
    /// Reads nothing that belongs to strangers, is not a plain file, or is reached by an untrustworthy link.
    private static func note(of path: String) -> PluginNote? {
        do throws(LibraryFileError) {
            _ = try FileTrust(isStrict: false).follow(path)
        } catch {
            guard case .worldWritable = error else { return nil }
        }
        let read = try? unsafe SystemFile.withSparseCopy(of: path) { copy, bytes in
            unsafe try? ELFNote.all(in: bytes, loadedBy: copy)
        }
        return read.flatMap { try? Verdict.readNote(among: $0) }
    }

    /// The names that end in `.so`, in order of their bytes.
    private static func libraryNames(in path: String) throws(LibraryFileError) -> [String] {
        guard let folder = unsafe opendir(path) else {
            throw .system(path: path, call: "opendir", reason: SystemReason.last)
        }
        defer { unsafe closedir(folder) }
        return unsafe SystemFile.names(in: folder).filter { $0.hasSuffix(".so") }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
