// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
internal import GatehouseSupport
private import Glibc

// The last good generation, which a service runs while its present configuration is refused.
extension Recovery {
    /// Why there is no last good generation to run.
    package struct NoLastGood: Error, Equatable, Sendable {
        /// The reason, as a sentence without an end mark.
        package let reason: String
    }

    /// Returns the plan of the last good generation, with the images kept beside the journal.
    ///
    /// - Parameters:
    ///   - refused: the present plan.
    ///   - base: the folder that relative paths of the configuration start from.
    ///   - isStrict: whether to refuse files that their group may write to.
    /// - Throws: why it must not or cannot run.
    package func lastGood(
        insteadOf refused: HostPlan, beside base: String, isStrict: Bool
    ) throws(NoLastGood) -> HostPlan {
        guard !refused.isDistrusted else {
            throw NoLastGood(
                reason:
                    "an owner, a mode, a signature, a digest or what an instance may emit is part of what is wrong"
            )
        }
        guard let last = lastPlan else {
            throw NoLastGood(reason: "the journal has no generation that ran before")
        }
        // A file that cannot be read withdraws nothing, neither pins nor a policy.
        let present = refused.configuration.place == nil ? last.configuration : refused.configuration
        let pins = present.instances.reduce(into: [String: PinnedDigests]()) { $0[$1.id] = $1.sha256 }
        let signing =
            if let signing = refused.signing { signing } else { try signing(of: last, beside: base) }
        do throws(RecordedPlan.Obstacle) {
            return try last.plan(
                from: images.folder, trust: FileTrust(isStrict: isStrict),
                signing: signing, pins: pins)
        } catch {
            throw NoLastGood(
                reason: error.instances.map { "\($0.id): \($0.reasons.joined(separator: "; "))" }
                    .joined(separator: "; "))
        }
    }

    /// Finds out who vouches by now for what a generation ran; nil where nobody had to.
    private func signing(of last: RecordedPlan, beside base: String) throws(NoLastGood) -> SigningJudge? {
        var problems: [Diagnostic] = []
        let signing = last.configuration.trust.map {
            SigningJudge(
                $0, folder: last.configuration.folder(from: base), ledger: SigningLedgerFile(beside: base)
            ) { problems.append($0) }
        }
        if let problem = problems.first(where: { $0.severity == .error }) {
            throw NoLastGood(reason: "\(problem)")
        }
        return signing
    }

    /// Whether an earlier generation is recorded.
    package var hasLastGood: Bool { lastPlan != nil }

    /// The last good generation in a few words, such as `generation 3 of run 2`.
    package var lastGoodName: String {
        place.record.map { "generation \($0.number) of run \($0.epoch)" } ?? "no generation"
    }
}

/// Stores the location of a configuration's journal, for a start at which the configuration is unreadable.
package enum JournalPointer {
    /// Returns the path of the file, among the data of the host.
    private static func path(beside base: String) -> String {
        DataFolder.path(beside: base) + "/host/journal"
    }

    /// Stores the folder of a journal; a failure to write is ignored, and a later start then refuses what it could have run.
    package static func remember(_ folder: String, beside base: String) {
        let path = path(beside: base)
        let bytes = Array(folder.utf8)
        guard (try? SystemFile.bytes(of: path, limit: 1 << 16)) != bytes else { return }
        let parent = SystemFile.parts(of: path).folder
        for folder in [SystemFile.parts(of: parent).folder, parent] { try? SystemFile.makeFolder(folder) }
        try? SystemFile.replace(path, with: bytes, isLasting: true)
    }

    /// Returns the stored folder, and the configuration of the generation that last ran with the journal there; nil where there is
    /// none.
    package static func last(beside base: String) -> (folder: String, configuration: HostConfiguration)? {
        guard let bytes = try? SystemFile.bytes(of: path(beside: base), limit: 1 << 16) else { return nil }
        let folder = String(decoding: bytes, as: UTF8.self)
        guard let reader = try? JournalReader(folder: folder),
            let record = try? reader.generations().records.last
        else { return nil }
        return (folder, record.plan.configuration)
    }
}
