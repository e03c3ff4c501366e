// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSupport
internal import GatehouseValue

/// A file that is to be signed, and what its signer says about it.
package struct SigningSubject: Sendable {
    /// The path of the file.
    package let path: String
    /// What is signed with its bytes.
    package let comment: SignedComment
    /// Why this host would not load it whoever signs it, a sentence each; a host of another kind may.
    package let doubts: [String]

    /// Looks at a library, or at a list of what is withdrawn.
    ///
    /// - Parameter serial: the order among what the same key signs for the same plugin, or among its lists.
    /// - Throws: why nobody would accept a signature of it.
    package init(path: String, serial: Int) throws(Diagnostic) {
        self.path = path
        let isIndex = SystemFile.parts(of: path).name == PluginIndex.name
        guard !isIndex, !path.hasSuffix(Revocations.suffix) else {
            do {
                let value = try JSONText.parse(try SystemFile.bytes(of: path, limit: Revocations.limit))
                if isIndex { _ = try PluginIndex(value) } else { _ = try Revocations.read(value) }
            } catch {
                throw Diagnostic(.error, "\(Quotation.bare(path)): \(error)")
            }
            (comment, doubts) = (isIndex ? .index(serial: serial) : .revocations(serial: serial), [])
            return
        }
        let (file, verdict): (SealedFile, Verdict)
        do throws(LibraryFileError) {
            (file, verdict) = try SealedFile.judged(path: path)
        } catch {
            throw Diagnostic(.error, "\(error)")
        }
        guard let manifest = verdict.note?.manifest else {
            throw Diagnostic(
                .error, refusing: Quotation.bare(path), for: nil, because: verdict.refusals.map(\.description)
            )
        }
        comment = .plugin(
            id: manifest.id, version: "\(manifest.version)", serial: serial,
            digest: ImageContent(file, with: verdict.companions).digest.hex)
        doubts = verdict.refusals.map(\.description)
    }

    /// The path of the signature.
    package var signaturePath: String { path + MinisignSignature.suffix }

    /// Whether a signature with this comment lies beside the file; its key is not asked.
    package var isSigned: Bool {
        guard let text = try? SigningJudge.signature(beside: path),
            let signature = try? MinisignSignature(text)
        else { return false }
        return SignedComment(signature.comment) == comment
    }
}
