// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseLibrary
private import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport

/// A library or a configuration on trial: the bytes that were read once, and a copy of them that nobody else can change.
///
/// What is shown, tried and put in the place of what runs are these bytes, whatever happens to the file that they came from.
struct Candidate: Sendable {
    /// What the bytes are.
    enum Kind: String, Sendable {
        /// A plugin library, which takes the place of the one with its plugin id.
        case library
        /// A configuration, which takes the place of the host's.
        case configuration
    }

    /// What the bytes are.
    let kind: Kind
    /// The name of the file, without a folder.
    let name: String
    /// What messages call the file.
    let title: String
    /// The bytes.
    let bytes: [UInt8]
    /// The signature that lay beside the file; nil for none.
    let signature: [UInt8]?
    /// SHA-256 of the bytes, in hexadecimal.
    let digest: String
    /// The folder with the copy, which only this user can enter; it goes with the candidate.
    private let folder: Folder

    /// Keeps the folder.
    private final class Folder: Sendable {
        /// The folder; touched by nobody after it was made.
        nonisolated(unsafe) let scratch: ScratchFolder

        /// Keeps a folder.
        init(_ scratch: sending ScratchFolder) { unsafe self.scratch = scratch }
    }

    /// The most bytes of a candidate: 256 MiB.
    private static let limit = 256 << 20
    /// What every ELF file begins with.
    private static let magic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]

    /// Reads a candidate, and copies it.
    ///
    /// - Parameter trust: the rules for owners and modes of a file and the folders on the way to it.
    /// - Throws: why it cannot be read, or must not be.
    init(_ origin: CandidateOrigin, trust: FileTrust) throws(Diagnostics) {
        do {
            let signaturePath: String?
            switch origin {
            case .file(let path):
                name = SystemFile.parts(of: path).name
                title = name
                _ = try trust.judge(path)
                bytes = try SystemFile.bytes(of: path, limit: Self.limit)
                signaturePath = path + SigningJudge.suffix
            case .upload(let name, let bytes):
                (title, self.name, self.bytes) = (name, name, bytes)
                signaturePath = nil
            }
            signature = signaturePath.flatMap { try? SystemFile.bytes(of: $0, limit: 1 << 16) }
            kind = bytes.starts(with: Self.magic) ? .library : .configuration
            digest = SHA256.digest(bytes).hex
            let scratch = try ScratchFolder()
            try SystemFile.create(scratch.path + "/" + name, with: bytes)
            if let signature {
                try SystemFile.create(scratch.path + "/" + name + SigningJudge.suffix, with: signature)
            }
            folder = Folder(scratch)
        } catch let failure as LibraryFileError {
            throw Diagnostics(error: "\(failure)")
        } catch {
            throw Diagnostics(error: "\(title): \(error); name a library or a configuration")
        }
    }

    /// The path of the copy.
    var path: String { unsafe folder.scratch.path + "/" + name }

    /// The path of the copy of a library; nil for a configuration.
    var library: String? { kind == .library ? path : nil }

    /// Where a child finds the configuration that the candidate makes, in place of that of a host.
    func source(instead host: HistorySource) -> HistorySource {
        guard kind == .configuration else { return host }
        return HistorySource(
            path: path, isFolder: false, base: host.base, journal: host.journal, isStrict: host.isStrict)
    }

    /// Returns the plan of a host with the candidate in its place.
    ///
    /// - Throws: all that is wrong with it.
    func plan(insteadOf host: HistorySource) throws(Diagnostics) -> HostPlan {
        do {
            return try source(instead: host).plan(
                with: library, calledAs: kind == .configuration ? title : nil)
        } catch {
            if case .diagnostics(let diagnostics) = error { throw diagnostics }
            throw Diagnostics(error: "\(error)")
        }
    }
}
