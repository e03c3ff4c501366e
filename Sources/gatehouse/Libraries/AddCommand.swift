// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse add`: takes a library from an index to the plugin folder, if it would run here.
struct AddCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Verifies, tries and puts it there, and prints an entry that pins it.
    func run() throws(Ended) -> ExitCode {
        let id = options.operands[0]
        let visit = try IndexVisit(options)
        let scratch = try ScratchFolder.orEnd()
        let index = try visit.shelf.index(judgedBy: visit.judge, through: scratch.path)
        let (found, passed) = index.newest(id)
        guard let entry = found else {
            let known = Set(index.entries.map(\.id)).sorted()
            let sentence =
                passed.isEmpty
                ? "there is no \(Quotation.of(id)) that the key of the index may sign; it has \(known.isEmpty ? "nothing" : Quotation.list(of: known))"
                : "no \(id) fits this host: \(passed.joined(separator: "; "))"
            throw Ended(.pluginRefused, "\(Quotation.bare(visit.shelf.place)): \(sentence)")
        }
        let (library, signature) = try visit.shelf.library(entry, through: scratch.path)
        let name = entry.fileName
        let files = [(name + ".minisig", signature), (name, library)]
        for (file, bytes) in files { try SystemFile.replaceOrEnd("\(scratch.path)/\(file)", with: bytes) }
        let candidate = PluginFolder.candidate(
            name, in: scratch.path, trust: FileTrust(isStrict: false), signing: visit.judge)
        var reasons = candidate.verdict.refusals.map(\.description)
        if let digest = candidate.digest, digest.hex != entry.sha256 {
            reasons.append("the index has the digest \(entry.sha256), found \(digest.hex)")
        }
        if let found = candidate.pluginID, found != id {
            reasons.append("the index calls its plugin \(id), and the library \(Quotation.of(found))")
        }
        switch visit.judge.consequence(of: candidate, isPinned: false) {
        case .none: break
        case .refuse(let refusal): reasons.append(refusal.description)
        case .withdraw(let reason), .warn(let reason): reasons.append(reason)
        case .confine: reasons.append("nobody has signed it")
        }
        guard reasons.isEmpty, let pins = PinnedDigests(of: candidate) else {
            throw Ended(
                .pluginRefused, "\(entry.file) is refused: \(reasons.joined(separator: "; "))")
        }
        let plan = Planner.plan(
            of: "\(scratch.path)/\(name)", settings: .object(Members()), trust: FileTrust(isStrict: false))
        let images = ImageCache(folder: CacheFolder.current, trust: FileTrust(isStrict: false))
        let tried = Rehearsal(of: plan, images: images).result() ?? plan
        if let failure = tried.failure {
            failure.write()
            throw Ended(code: failure.exitCode)
        }
        // The signature first: a library beside the signature of another one is refused.
        for (file, bytes) in files { try SystemFile.replaceOrEnd("\(visit.folder)/\(file)", with: bytes) }
        StandardError.tell(
            "\(visit.folder)/\(name): \(id) \(entry.version), \(candidate.endorsement?.words ?? "")")
        Results.write(["id": .string(id), "library": .string(name), "sha256": pins.value])
        return .success
    }
}

extension SystemFile {
    /// Writes a file as a whole, which everybody may read; ends the command where that fails.
    static func replaceOrEnd(_ path: String, with bytes: [UInt8]) throws(Ended) {
        do throws(SystemFailure) {
            try replace(path, with: bytes, isLasting: true, mode: 0o644)
        } catch {
            throw Ended(.internalError, "\(Quotation.bare(path)): it cannot be written: \(error)")
        }
    }
}

extension ScratchFolder {
    /// A folder for what comes from elsewhere; ends the command where there is none.
    static func orEnd() throws(Ended) -> ScratchFolder {
        do throws(ChildFailure) {
            return try ScratchFolder()
        } catch {
            throw Ended(.internalError, "no folder for temporary files: \(error)")
        }
    }
}
