// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
private import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSupport
private import Glibc

/// Puts the bytes of a tried candidate in the place of the files that the running host was made of, and back where the reload refuses.
///
/// Used on the thread of a reload.
struct CandidateSwap: Sendable {
    /// A file that is replaced.
    private struct Replaced {
        /// The path.
        let path: String
        /// Its bytes before.
        let bytes: [UInt8]
        /// Its mode before.
        let mode: UInt32
        /// The signature beside it before; nil for none.
        let signature: [UInt8]?
    }

    /// The bytes.
    let candidate: Candidate
    /// The host when they were tried.
    let ground: CandidateGround
    /// The plan that they made then.
    let plan: HostPlan
    /// The files before; empty until they are replaced.
    private var replaced: [Replaced] = []

    /// A swap that has replaced nothing.
    init(_ candidate: Candidate, on ground: CandidateGround, as plan: HostPlan) {
        (self.candidate, self.ground, self.plan) = (candidate, ground, plan)
    }

    /// Replaces the files.
    ///
    /// - Throws: that one is no longer what it was when the candidate was tried, or cannot be written; then all are as they were.
    mutating func replace() throws(Diagnostics) {
        do throws(Diagnostics) {
            for (path, digest) in try targets() {
                let before = try Self.state(of: path)
                let found = SHA256.digest(before.bytes).hex
                if let digest, found != digest {
                    throw Diagnostics(
                        error:
                            "\(path) has changed since the trial: expected sha256 \(digest), found \(found); try the candidate again"
                    )
                }
                replaced.append(before)
                try Self.write(candidate.bytes, candidate.signature, to: path, mode: before.mode)
            }
        } catch {
            undo()
            throw error
        }
    }

    /// Puts the former files back.
    func undo() {
        for one in replaced.reversed() {
            try? Self.write(one.bytes, one.signature, to: one.path, mode: one.mode)
        }
    }

    /// Refuses a plan that is not the one that was tried: somebody has changed a file in this moment, or since the trial.
    func check(_ found: HostPlan) throws(Diagnostics) {
        guard PlanDifference(from: plan, to: found).isEmpty else {
            throw Diagnostics(
                error:
                    "the configuration or a library has changed since the trial of \(candidate.title); try the candidate again"
            )
        }
    }

    // MARK: - Implementation details

    /// Returns the files to replace, each with the digest that it had when the candidate was tried; nil where that is unknown.
    private func targets() throws(Diagnostics) -> [(path: String, digest: String?)] {
        switch candidate.kind {
        case .configuration:
            guard !ground.source.isFolder else {
                throw Diagnostics(
                    error:
                        "the host runs a folder of plugins without a configuration file, so there is none to replace; start it with --config"
                )
            }
            return [(ground.source.path, ground.configurationDigest)]
        case .library:
            let plugins = Set(
                plan.instances.filter { $0.library?.digest?.hex == candidate.digest }.map(\.manifest.id))
            var digests: [String: String] = [:]
            for planned in ground.present.instances where plugins.contains(planned.manifest.id) {
                guard let library = planned.library, let digest = library.digest else { continue }
                digests[library.path] = digest.hex
            }
            guard !digests.isEmpty else {
                throw Diagnostics(
                    error: "no library of the configuration has the place of \(candidate.title)")
            }
            return digests.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    /// Reads a file as it is before it is replaced.
    private static func state(of path: String) throws(Diagnostics) -> Replaced {
        do {
            guard let status = SystemFile.status(path) else { throw SystemFailure.last }
            return Replaced(
                path: path, bytes: try SystemFile.bytes(of: path, limit: 256 << 20),
                mode: status.st_mode & 0o777,
                signature: try? SystemFile.bytes(of: path + SigningJudge.suffix, limit: 1 << 16))
        } catch {
            throw Diagnostics(error: "\(path): \(error)")
        }
    }

    /// Writes a file, and the signature beside it; removes one that is not of these bytes.
    private static func write(
        _ bytes: [UInt8], _ signature: [UInt8]?, to path: String, mode: UInt32
    ) throws(Diagnostics) {
        do throws(SystemFailure) {
            let beside = path + SigningJudge.suffix
            if let signature {
                try SystemFile.replace(beside, with: signature, isLasting: true, mode: mode & 0o666)
            } else {
                unsafe unlink(beside)
            }
            try SystemFile.replace(path, with: bytes, isLasting: true, mode: mode)
        } catch {
            throw Diagnostics(error: "\(path): \(error); put the candidate there yourself, and reload")
        }
    }
}
