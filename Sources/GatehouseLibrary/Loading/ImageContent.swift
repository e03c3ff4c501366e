// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// The judged bytes of a library, and of what it needs from its own folder: everything in an image.
package struct ImageContent: Sendable {
    /// The bytes of the library, sealed against change.
    package let file: SealedFile
    /// The libraries that it needs from its own folder.
    package let companions: [Companion]
    /// Identifies the whole: the digest of the library alone, or one of the digests of all parts.
    package let digest: Digest

    /// Combines a library with those that it needs from its own folder.
    package init(_ file: SealedFile, with companions: [Companion] = []) {
        self.file = file
        self.companions = companions
        guard !companions.isEmpty else {
            digest = file.digest
            return
        }
        // The output of sha256sum, in order of the names.
        let lines = companions.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .map { "\($0.digest.hex)  \($0.name)\n" }
        digest = SHA256.digest(Array(("\(file.digest.hex)\n" + lines.joined()).utf8))
    }
}
