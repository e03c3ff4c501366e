// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// Finds the library of each entry, and the libraries that no entry names; runs no plugin code.
struct LibraryMatcher {
    /// What the operator wrote, as far as it could be read.
    private let configuration: HostConfiguration
    /// The folder that relative paths start from.
    private let baseDirectory: String
    /// Who may own and write the files.
    private let trust: FileTrust
    /// What the host remembers of signatures.
    private let ledger: SigningLedgerFile
    /// Finds out who vouches for libraries; nil where nobody has to.
    private(set) var signing: SigningJudge?
    /// The path of a library that is used in the place of those with its plugin id; nil for none.
    private let substitute: String?

    /// The libraries that nobody vouches for, neither a key nor a pin: those of entries, then the discovered ones.
    private(set) var unvouched: [HostPlan.Unvouched] = []
    /// The entries in chain order, then the discovered libraries in order of their file names.
    private(set) var entries: [HostPlan.Entry] = []
    /// The shadows, in the order of the configuration.
    private(set) var shadows: [PlannedShadow] = []
    /// The libraries that take no part.
    private(set) var spares: [HostPlan.Spare] = []
    /// What was wrong from the start, and what was found.
    private(set) var diagnostics: [Diagnostic]
    /// Whether owners, modes or pinned digests are part of that.
    private(set) var isDistrusted = false

    /// A matcher for a configuration with what reading it has found.
    init(
        configuration: HostConfiguration, known diagnostics: [Diagnostic], baseDirectory: String,
        trust: FileTrust,
        substitute: String? = nil
    ) {
        self.configuration = configuration
        self.diagnostics = diagnostics
        self.baseDirectory = baseDirectory
        self.trust = trust
        ledger = SigningLedgerFile(beside: baseDirectory)
        self.substitute = substitute
    }

    /// Looks at everything, once.
    mutating func match() {
        for entry in configuration.instances { diagnostics += EntryReview.unknownDependencies(of: entry) }
        // Nobody knows which folder was meant.
        guard !isBroken(JSONPointer(tokens: ["directory"])), let folder = openFolder() else { return }
        diagnostics += folder.warnings.map { Diagnostic(.warning, $0) }
        for entry in configuration.instances {
            guard let outcome = match(entry, in: folder) else { continue }
            entries.append(HostPlan.Entry(id: entry.id, isOptional: entry.isOptional, outcome: outcome))
        }
        for shadow in configuration.shadows { match(shadow, in: folder) }
        discover(in: folder)
        placeSlices()
        reviewPlacement(by: folder)
    }

    /// Judges the libraries of the plugin folder; nil, with a problem, when that cannot be done.
    private mutating func openFolder() -> PluginFolder? {
        var problems: [Diagnostic] = []
        signing = configuration.trust.map {
            SigningJudge($0, folder: folderPath, ledger: ledger) { problems.append($0) }
        }
        if problems.contains(where: { $0.severity == .error }) { isDistrusted = true }
        diagnostics += problems
        let folder: PluginFolder
        do {
            folder = try PluginFolder(
                path: folderPath, trust: trust, signing: signing, selecting: selection)
        } catch {
            isDistrusted = error.isAboutTrust
            // The other errors say themselves what to do about a folder that is the right one.
            let remedy =
                switch error {
                case .missing, .notAFolder: "; name the folder that holds the plugin libraries"
                default: ""
                }
            diagnostics.append(
                configuration.place.diagnostic(at: ["directory"], "\(error)\(remedy)"))
            return nil
        }
        guard let substitute else { return folder }
        do throws(Diagnostic) {
            return try folder.replacing(with: substitute, trust: trust, signing: signing)
        } catch {
            diagnostics.append(error)
            return nil
        }
    }

    /// The libraries that must be looked at, and those that come first.
    private var selection: PluginFolder.Selection {
        PluginFolder.Selection(
            files: Set(
                (configuration.instances.map(\.library) + configuration.shadows.map(\.library)).compactMap(
                    \.self)),
            ids: Set(configuration.instances.filter { $0.library == nil }.map(\.id)),
            isOnly: configuration.discovery == .ignore && !isBroken(JSONPointer(tokens: ["discovery"])))
    }

    /// The path of the plugin folder.
    private var folderPath: String { configuration.folder(from: baseDirectory) }

    /// Whether reading the file has found an error at a place.
    private func isBroken(_ pointer: JSONPointer) -> Bool {
        diagnostics.contains { $0.severity == .error && $0.place?.pointer == pointer }
    }

    // MARK: - Entries

    /// Finds the library of a shadow, which takes part as its instance would with it.
    private mutating func match(_ shadow: ShadowConfiguration, in folder: PluginFolder) {
        guard let instance = configuration.instances.first(where: { $0.id == shadow.instance }) else {
            return
        }
        var entry = shadow.entry(insteadOf: instance)
        if shadow.library == nil {
            guard let library = fileName(of: instance.id) else {
                return shadows.append(PlannedShadow(shadow, .missing("its instance does not take part")))
            }
            entry.library = library
        }
        let (known, vouched, distrusted) = (diagnostics.count, unvouched.count, isDistrusted)
        let found = match(entry, in: folder)
        // It keeps no host from starting, and has a pin of its own only with a library of its own.
        isDistrusted = distrusted
        let lacking = shadow.library == nil ? [] : unvouched[vouched...].map { $0.named(shadow.id) }
        unvouched.replaceSubrange(vouched..., with: lacking)
        // What the instance says itself was judged there.
        let own = diagnostics[known...].filter { diagnostic in
            diagnostic.place.map { $0.pointer.tokens.dropFirst(2).first }.map {
                $0.flatMap(ShadowConfiguration.Key.init) != nil
            } ?? true
        }.map { $0.place == nil ? $0.about(shadow.id) : $0 }
        diagnostics.replaceSubrange(known..., with: own)
        guard let outcome = found else { return }
        if case .accepted(let planned) = outcome, let reason = planned.quarantine {
            return shadows.append(PlannedShadow(shadow, .missing(reason)))
        }
        if case .accepted(let planned) = outcome, planned.intercepts {
            let refusal = Diagnostic(
                .warning, refusing: planned.library?.path ?? shadow.id, for: shadow.id,
                because: [
                    "it decides about actions, which cannot be compared while another does; try it with gatehouse ctl try"
                ])
            diagnostics.append(refusal)
            return shadows.append(PlannedShadow(shadow, .refused(refusal)))
        }
        shadows.append(PlannedShadow(shadow, outcome))
    }

    /// The library of an instance that takes part; nil for none.
    private func fileName(of id: String) -> String? {
        entries.first { $0.id == id }.flatMap {
            if case .accepted(let planned) = $0.outcome { planned.library?.fileName } else { nil }
        }
    }

    /// Finds the library of an entry and compares the two; nil where a mistake in the entry says more.
    private mutating func match(
        _ entry: InstanceConfiguration, in folder: PluginFolder
    ) -> HostPlan.Outcome? {
        if let place = entry.place, isBroken(place.pointer.appending("library")) { return nil }
        let candidate: PluginFolder.Candidate
        switch find(entry, in: folder) {
        case .found(let found): candidate = found
        case .missing(let key, let sentence):
            diagnostics.append(
                entry.place?.diagnostic(entry.isOptional ? .warning : .error, at: [key], sentence)
                    ?? Diagnostic(.warning, sentence))
            return .missing(sentence)
        }
        var verdict = candidate.verdict.pinned(to: entry.sha256, candidate.fileName, found: candidate.digest)
        let consequence = signing?.consequence(of: candidate, for: entry, verdict) ?? .none
        note(candidate, of: entry, verdict)
        if case .refuse(let refusal) = consequence { verdict = verdict.refused(for: [refusal]) }
        guard verdict.isAccepted, let manifest = verdict.note?.manifest else {
            if verdict.refusals.contains(where: \.isAboutTrust) { isDistrusted = true }
            let refusal = Diagnostic(
                entry.isOptional ? .warning : .error, refusing: candidate.path, for: entry.id,
                because: verdict.refusals.map(\.description))
            diagnostics.append(refusal)
            return .refused(refusal)
        }
        if entry.placement == .host, let match = verdict.match {
            let refusal = Diagnostic(
                entry.isOptional ? .warning : .error, refusing: candidate.path, for: entry.id,
                because: [match.refusalInHost])
            diagnostics.append(refusal)
            return .refused(refusal)
        }
        diagnostics += EntryReview(entry, manifest).diagnostics
        if let digest = candidate.digest {
            let gaps = entry.sha256?.gaps(of: (candidate.fileName, digest.hex), with: verdict.companions)
            diagnostics += (gaps ?? []).map { entry.place.diagnostic(.warning, at: ["sha256"], $0) }
        }
        let instance = PlannedInstance(
            entry, manifest: manifest, library: candidate, placedBy: configuration.placement,
            isOptional: entry.isOptional)
        return .accepted(instance.following(consequence, &diagnostics))
    }

    /// Notes a library that would run if somebody vouched for it.
    private mutating func note(
        _ candidate: PluginFolder.Candidate, of entry: InstanceConfiguration?, _ verdict: Verdict
    ) {
        guard verdict.isAccepted, entry?.sha256 == nil, let id = entry?.id ?? candidate.pluginID,
            let pins = PinnedDigests(of: candidate)
        else { return }
        switch candidate.endorsement {
        case .host, .key: return
        case nil, .nobody:
            unvouched.append(
                HostPlan.Unvouched(id: id, entry: entry, library: candidate.fileName, pins: pins))
        }
    }

    /// The libraries that only shadows name.
    private var shadowLibraries: Set<String> {
        Set(configuration.shadows.compactMap(\.library)).subtracting(
            configuration.instances.compactMap(\.library))
    }

    /// What looking for a library has given.
    private enum Search {
        /// The one library that fits.
        case found(PluginFolder.Candidate)
        /// The key that is to blame, and why nothing was found.
        case missing(key: String, String)
    }

    /// The library of an entry, by file name or by the id it declares.
    private func find(_ entry: InstanceConfiguration, in folder: PluginFolder) -> Search {
        if let library = entry.library {
            if let found = folder.candidates.first(where: { $0.fileName == library }) { return .found(found) }
            return .missing(
                key: "library",
                EntryReview.missing(
                    "there is no \(library) in \(folder.path)", library, folder.fileNames,
                    or: "put it there or correct the name"))
        }
        let shadowing = shadowLibraries
        let declaring = folder.candidates.filter {
            $0.pluginID == entry.id && !shadowing.contains($0.fileName)
        }
        switch declaring.count {
        case 0:
            return .missing(
                key: "id",
                EntryReview.missing(
                    "no library in \(folder.path) declares the plugin id \"\(entry.id)\"", entry.id,
                    folder.pluginIDs,
                    or: "put the library there, or name its file with \"library\""))
        case 1: return .found(declaring[0])
        default:
            return .missing(
                key: "id",
                "\(declaring.map(\.fileName).joined(separator: " and ")) both declare the plugin id \"\(entry.id)\"; name one of them with \"library\""
            )
        }
    }

    // MARK: - Discovery

    /// Looks at the libraries that no entry names, and adds them to the chain if the configuration says so.
    private mutating func discover(in folder: PluginFolder) {
        guard configuration.discovery != .ignore, !isBroken(JSONPointer(tokens: ["discovery"])) else {
            return
        }
        let named = selection.files
        let namedIDs = Set(configuration.instances.filter { $0.library == nil }.map(\.id))
        var ids = Set(configuration.instances.map(\.id))
        for candidate in folder.candidates where !named.contains(candidate.fileName) {
            if let id = candidate.pluginID, namedIDs.contains(id) { continue }
            // What no entry names, none pins.
            let consequence = signing?.consequence(of: candidate, isPinned: false) ?? .none
            var verdict = candidate.verdict
            note(candidate, of: nil, verdict)
            if case .refuse(let refusal) = consequence { verdict = verdict.refused(for: [refusal]) }
            guard verdict.isAccepted, let manifest = verdict.note?.manifest else {
                spare(candidate, because: verdict.refusals.map(\.description))
                continue
            }
            guard configuration.discovery == .activate, manifest.discovery == .always else {
                spares.append(HostPlan.Spare(library: candidate, reasons: []))
                continue
            }
            let isReserved = manifest.id == ReservedNames.identifier
            guard !isReserved, ids.insert(manifest.id).inserted else {
                let owner = isReserved ? "belongs to the host" : "is the id of another instance"
                spare(
                    candidate,
                    because: [
                        "its plugin id \"\(manifest.id)\" \(owner); name the file in plugins.json with an id of its own"
                    ])
                continue
            }
            let entry = InstanceConfiguration(id: manifest.id)
            let instance = PlannedInstance(
                entry, manifest: manifest, library: candidate, placedBy: configuration.placement,
                isOptional: true)
            entries.append(
                HostPlan.Entry(
                    id: entry.id, isOptional: true,
                    outcome: .accepted(instance.following(consequence, &diagnostics))))
        }
        guard configuration.discovery == .activate, entries.isEmpty, !spares.isEmpty else { return }
        let waiting = spares.filter(\.reasons.isEmpty)
        diagnostics.append(
            waiting.isEmpty
                ? .nothingLeft(of: spares.count, in: folder.path)
                : Diagnostic(
                    .warning,
                    "\(folder.path): nothing in it runs without an entry; name what to run in \"plugins\": \(waiting.compactMap(\.library.pluginID).joined(separator: ", "))"
                ))
    }

    // MARK: - Placement

    /// Warns of listed digests that place nothing.
    private mutating func reviewPlacement(by folder: PluginFolder) {
        // A substitute has another digest than what it stands for.
        guard substitute == nil, configuration.placement.standard != .host else { return }
        for (index, digest) in configuration.placement.host.enumerated() {
            guard let sentence = objection(toPlacing: digest, in: folder) else { continue }
            diagnostics.append(
                configuration.place.diagnostic(.warning, at: ["placement", "host", "\(index)"], sentence))
        }
    }

    /// Why a listed digest places nothing; nil for one that does, and for that of a library whose refusal says more.
    private func objection(toPlacing digest: String, in folder: PluginFolder) -> String? {
        if folder.candidates.contains(where: { $0.imageHex == digest }) { return nil }
        guard let candidate = folder.candidates.first(where: { $0.digest?.hex == digest }) else {
            let scope = configuration.discovery == .ignore ? "that an entry names " : ""
            return
                "no library \(scope)in \(folder.path) has the digest \(digest); remove it, or copy what sha256sum prints for the library"
        }
        return candidate.imageHex.map {
            let names = candidate.verdict.companions.map(\.name).joined(separator: ", ")
            return
                "this is the digest of \(candidate.fileName) alone, which brings along \(names); for the bytes of all of them, write \"\($0)\""
        }
    }

    // MARK: - Slices

    /// Finds slices that cannot stand where they are; a discovered library then takes no part.
    ///
    /// Plugins that do not tell whether they keep state are left to the start.
    private mutating func placeSlices() {
        var claims = SliceClaims(in: configuration.state)
        var ids: Set<String> = []
        for (index, entry) in entries.enumerated() {
            // Two entries of one name are a mistake of their own.
            guard case .accepted(let instance) = entry.outcome, instance.keepsState == true,
                ids.insert(entry.id).inserted, let slice = instance.slice,
                let sentence = claims.claim(slice, for: instance.id)
            else { continue }
            let diagnostic = instance.fault(at: ["lift", "state"], sentence)
            diagnostics.append(diagnostic)
            if diagnostic.library != nil {
                entries[index] = HostPlan.Entry(
                    id: entry.id, isOptional: entry.isOptional, outcome: .refused(diagnostic))
            }
        }
    }

    /// Notes a library that takes no part; only one that was meant to is worth a warning.
    private mutating func spare(_ candidate: PluginFolder.Candidate, because reasons: [String]) {
        spares.append(HostPlan.Spare(library: candidate, reasons: reasons))
        guard configuration.discovery == .activate else { return }
        diagnostics.append(Diagnostic(.warning, refusing: candidate.path, for: nil, because: reasons))
    }
}
