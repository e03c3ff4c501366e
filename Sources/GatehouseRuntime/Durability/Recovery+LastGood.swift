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
    ///   - isStrict: whether to refuse files that their group may write to.
    /// - Throws: why it must not or cannot run.
    package func lastGood(insteadOf refused: HostPlan, isStrict: Bool) throws(NoLastGood) -> HostPlan {
        guard !refused.isDistrusted else {
            throw NoLastGood(
                reason: "an owner, a mode, a digest or what an instance may emit is part of what is wrong")
        }
        guard let last = lastPlan else {
            throw NoLastGood(reason: "the journal has no generation that ran before")
        }
        for entry in refused.configuration.instances {
            guard let pinned = entry.sha256, let library = last.libraries[entry.id] else { continue }
            let folder = images.folder + "/" + library.digest + "/"
            let expected =
                switch pinned {
                case .library(let digest): [library.file: digest]
                case .files(let files): files
                }
            for (name, digest) in expected
            where (try? SealedFile(path: folder + name, trust: nil))?.digest.hex != digest {
                throw NoLastGood(
                    reason: "the library that \(entry.id) ran with is not the one that \"sha256\" names now")
            }
        }
        do throws(RecordedPlan.Obstacle) {
            return try last.plan(from: images.folder, trust: FileTrust(isStrict: isStrict))
        } catch {
            throw NoLastGood(
                reason: error.instances.map { "\($0.id): \($0.reasons.joined(separator: "; "))" }
                    .joined(separator: "; "))
        }
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
