// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSupport
internal import GatehouseValue
private import Glibc

/// Decides who vouches for a library, and what follows: by the policy, the lists of what is withdrawn, and what has run before.
///
/// Runs no code of libraries, and reaches no network. Everything is about bytes in sealed memory and signatures that were read once.
package struct SigningJudge: Sendable {
    /// What follows the name of a file in that of its signature.
    package static let suffix = MinisignSignature.suffix

    /// Whose signatures count.
    package let policy: SigningPolicy
    /// The libraries that came with the host.
    private let own: HostLibraries
    /// The list of each key that counts.
    private let revocations: [MinisignKey.ID: Revocations]
    /// What has run before, and the lists that were seen.
    private let ledger: SigningLedger
    /// Where that is kept.
    private let file: SigningLedgerFile

    /// A judge for the libraries of a folder.
    ///
    /// - Parameters:
    ///   - folder: the plugin folder, in which lists of what is withdrawn may lie.
    ///   - problems: takes what is wrong with lists and ledger; with an error among them nothing should run.
    package init(
        _ policy: SigningPolicy, folder: String, ledger file: SigningLedgerFile,
        _ problems: (Diagnostic) -> Void
    ) {
        self.policy = policy
        self.file = file
        own = .current
        var ledger = SigningLedger()
        do throws(Diagnostic) { ledger = try file.read() } catch { problems(error) }
        for name in SystemFile.names(inFolder: folder).filter({ $0.hasSuffix(Revocations.suffix) }).sorted() {
            let path = folder + "/" + name
            do throws(SignatureError) {
                guard let (key, list) = try Self.list(at: path, policy) else {
                    problems(
                        Diagnostic(
                            .warning,
                            "\(Quotation.bare(path)): it is signed by a key that \"trust\" does not have, so it withdraws nothing; add the key, or remove the file"
                        ))
                    continue
                }
                if ledger.note(list, of: key) != list {
                    problems(
                        Diagnostic(
                            .warning,
                            "\(Quotation.bare(path)): it has serial \(list.serial), and a later list of the same key was seen, which stays in force; bring the later one"
                        ))
                }
            } catch {
                problems(Diagnostic(.error, "\(Quotation.bare(path)): \(error)"))
            }
        }
        self.ledger = ledger
        let known = Set(policy.keys.map(\.key.id))
        revocations = ledger.keys.filter { known.contains($0.key) }.compactMapValues(\.revocations)
    }

    /// The files that a judge reads, apart from the plugin folder.
    ///
    /// - Parameter base: the folder of the configuration.
    package static func files(beside base: String) -> [String] {
        [SigningLedgerFile(beside: base).path, HostLibraries.path]
    }

    /// Reads a list and its signature; nil for one of an unknown key.
    private static func list(
        at path: String, _ policy: SigningPolicy
    ) throws(SignatureError) -> (MinisignKey.ID, Revocations)? {
        let bytes = try read(path, limit: Revocations.limit)
        let text = try read(path + MinisignSignature.suffix, limit: MinisignSignature.limit)
        let signature = try MinisignSignature(text)
        guard let key = try signer(of: bytes, by: signature, policy) else { return nil }
        let comment = signature.comment
        guard case .revocations(let serial) = SignedComment(comment) else { throw .foreignComment(comment) }
        do {
            let reasons = try Revocations.read(try JSONText.parse(bytes))
            return (key.key.id, Revocations(serial: serial, reasons: reasons))
        } catch {
            throw .unreadable("it is signed, and is no list: \(error); write and sign it again")
        }
    }

    /// The key that has signed bytes; nil for an unknown key.
    private static func signer(
        of bytes: UnsafeRawBufferPointer, by signature: MinisignSignature, _ policy: SigningPolicy
    ) throws(SignatureError) -> SigningPolicy.Key? {
        guard let key = policy.keys.first(where: { $0.key.id == signature.keyID }) else { return nil }
        try unsafe signature.check(bytes, by: key.key, named: key.name)
        return key
    }

    /// The same of bytes in an array.
    private static func signer(
        of bytes: [UInt8], by signature: MinisignSignature, _ policy: SigningPolicy
    ) throws(SignatureError) -> SigningPolicy.Key? {
        try unsafe bytes.withUnsafeBytes { bytes in
            Result { () throws(SignatureError) in try unsafe signer(of: bytes, by: signature, policy) }
        }.get()
    }

    /// The bytes of a plain file; nobody waits for what a pipe may bring.
    private static func read(_ path: String, limit: Int) throws(SignatureError) -> [UInt8] {
        do {
            let (file, _) = try SystemFile.openRegular(path)
            defer { close(file) }
            return try SystemFile.bytes(of: "/proc/self/fd/\(file)", limit: limit)
        } catch let error as SystemFile.ReadingError {
            throw .unreadable("\(Quotation.bare(path)): \(error)")
        } catch LibraryFileError.missing {
            throw .unreadable("\(Quotation.bare(path)): there is no such file")
        } catch LibraryFileError.notARegularFile {
            throw .unreadable("\(Quotation.bare(path)): it is not a plain file")
        } catch {
            throw .unreadable(Quotation.bare("\(error)"))
        }
    }
}

// MARK: - Of an index

extension SigningJudge {
    /// The libraries of an index that the key of its signature may sign.
    ///
    /// - Parameter name: what messages call the index.
    /// - Throws: why the index is not trusted, a sentence.
    package func index(
        _ bytes: [UInt8], signedBy text: [UInt8], named name: String
    ) throws(Diagnostic) -> PluginIndex {
        do throws(SignatureError) {
            let signature = try MinisignSignature(text)
            guard let key = try Self.signer(of: bytes, by: signature, policy) else {
                throw .unreadable(
                    "\"trust\" does not have the key that it is by; add the key of whoever keeps the index")
            }
            guard case .index = SignedComment(signature.comment) else {
                throw .foreignComment(signature.comment)
            }
            do {
                let index = try PluginIndex(try JSONText.parse(bytes))
                return PluginIndex(entries: index.entries.filter { key.covers($0.id) })
            } catch {
                throw .unreadable("it is signed, and is no index: \(error); make and sign it again")
            }
        } catch {
            throw Diagnostic(.error, "\(name): \(error)")
        }
    }
}

// MARK: - Of a library

extension SigningJudge {
    /// The signature that lies beside a file; nil where none does.
    static func signature(beside path: String) throws(SignatureError) -> [UInt8]? {
        let path = path + MinisignSignature.suffix
        guard SystemFile.status(path) != nil else { return nil }
        return try read(path, limit: MinisignSignature.limit)
    }

    /// Who vouches for a library.
    ///
    /// - Parameters:
    ///   - content: the judged bytes, with what comes along.
    ///   - manifest: what the library declares.
    ///   - text: the signature that belongs to it; nil for none.
    /// - Throws: why a signature by a known key does not speak for it.
    func endorsement(
        of content: ImageContent, _ manifest: PluginManifest, by text: [UInt8]?
    ) throws(SignatureError) -> Endorsement {
        let digest = content.digest.hex
        guard let text else { return own.digests.contains(digest) ? .host : .nobody(.unsigned) }
        let signature = try MinisignSignature(text)
        let signer: Result<SigningPolicy.Key?, SignatureError>
        do throws(LibraryFileError) {
            signer = try unsafe content.file.withBytes { bytes in
                Result { () throws(SignatureError) in try unsafe Self.signer(of: bytes, by: signature, policy)
                }
            }
        } catch {
            throw .unreadable("\(error)")
        }
        guard let key = try signer.get() else {
            return own.digests.contains(digest) ? .host : .nobody(.unknownKey(signature.keyID))
        }
        guard case .plugin(let id, let version, let serial, let signed) = SignedComment(signature.comment)
        else { throw .foreignComment(signature.comment) }
        let subjects = [
            ("plugin", id, manifest.id), ("version", version, "\(manifest.version)"),
            ("digest", signed, digest),
        ]
        for (field, signed, found) in subjects where signed != found {
            throw .otherSubject(field: field, signed: signed, found: found)
        }
        guard key.covers(manifest.id) else { throw .outOfScope(key: key.name, plugin: manifest.id) }
        return .key(
            Endorsement.Signed(
                name: key.name, key: key.key.id, serial: serial, text: String(decoding: text, as: UTF8.self)))
    }

    /// What follows from who vouches for a library.
    package enum Consequence: Equatable, Sendable {
        /// Nothing.
        case none
        /// It does not run.
        case refuse(Refusal)
        /// It runs in workers only.
        case confine
        /// It runs, with a warning.
        case warn(String)
        /// Its instances stand as in quarantine; the reason.
        case withdraw(String)
    }

    /// What follows from who vouches for a library.
    ///
    /// - Parameter isPinned: whether the operator has named these very bytes, with all that comes along.
    package func consequence(of candidate: PluginFolder.Candidate, isPinned: Bool) -> Consequence {
        guard let plugin = candidate.pluginID, let endorsement = candidate.endorsement else { return .none }
        let digests =
            candidate.verdict.companions.map(\.digest)
            + [candidate.digest, candidate.imageDigest].compactMap { $0 }
        var subjects = digests.map { Revocations.Subject.digest($0.hex) }
        // Whoever pins bytes vouches for them whatever their signature is worth by now.
        if case .key(let signed) = endorsement, !isPinned { subjects.append(.key(signed.key)) }
        for key in policy.keys where key.covers(plugin) {
            guard let list = revocations[key.key.id],
                let reason = subjects.lazy.compactMap({ list.reasons[$0] }).first
            else { continue }
            return .withdraw("\(key.name) has withdrawn it: \(Quotation.bare(reason))")
        }
        if isPinned { return .none }
        switch endorsement {
        case .host: return .none
        case .key(let signed):
            guard let known = ledger.serial(of: signed.key, for: plugin), known > signed.serial else {
                return .none
            }
            return .refuse(.outdated(key: signed.name, serial: signed.serial, known: known))
        case .nobody(let lack):
            switch policy.unsigned {
            case .refuse: return .refuse(.unsigned(lack))
            case .worker: return .confine
            case .warn: return .warn(lack.words + "; " + Self.remedy)
            }
        }
    }

    /// What to do about a library that nobody vouches for.
    static let remedy =
        "have it signed by a key that \"trust\" lists, or vouch for these bytes yourself: gatehouse pin prints what to write"

    /// Remembers what runs, so that nothing older by the same key replaces it unasked; and the lists that were seen.
    ///
    /// - Returns: a warning where it could not be written.
    package func remember(_ libraries: [PluginFolder.Candidate]) -> String? {
        var ledger = ledger
        for library in libraries {
            guard case .key(let signed) = library.endorsement, let plugin = library.pluginID else { continue }
            ledger.note(signed, of: plugin)
        }
        do throws(Diagnostic) {
            guard try file.read() != ledger else { return nil }
        } catch {}
        do throws(SystemFailure) {
            try file.write(ledger)
            return nil
        } catch {
            return "\(file.path): the record of signatures cannot be written: \(error)"
        }
    }
}
