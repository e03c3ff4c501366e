// SPDX-License-Identifier: Apache-2.0

/// The digest that shows whether two builds of the SDK have the same layout.
///
/// Types of the SDK cross the boundary as they are, so a host and a plugin fit together only if both were
/// compiled from the same code in the same way. Every byte of the sources counts, comments included.
public struct SDKFingerprint: Sendable {
    /// The digest of all sources.
    private let sources: Digest

    /// Digests the sources in the order of their paths, regardless of the given order.
    ///
    /// - Parameter files: those for which `SourceFile.counts(path:)` holds.
    /// - Complexity: linear in the size of the files.
    public init(sources files: [SourceFile]) {
        var hash = SHA256()
        for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
            Self.add(Array(file.path.utf8), to: &hash)
            Self.add(file.content, to: &hash)
        }
        sources = hash.finish()
    }

    /// Returns the fingerprint of the sources compiled in a certain way, as 64 hexadecimal digits.
    ///
    /// - Parameters:
    ///   - toolsVersion: the version of the package description, such as `6.3`.
    ///   - compiler: the toolchain's own identity.
    ///   - triple: the target, such as `x86_64-unknown-linux-gnu`.
    ///   - configuration: debug and release lay out types alike but inline differently.
    public func hex(
        toolsVersion: String, compiler: String, triple: String, configuration: BuildConfiguration
    ) -> String {
        var hash = SHA256()
        hash.update(sources.bytes)
        for fact in [toolsVersion, compiler, triple, configuration.rawValue] {
            Self.add(Array(fact.utf8), to: &hash)
        }
        return hash.finish().hex
    }

    /// Adds a piece, preceded by its length, so that no two lists of pieces look alike.
    private static func add(_ piece: [UInt8], to hash: inout SHA256) {
        let count = UInt64(piece.count)
        hash.update((0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) })
        hash.update(piece)
    }
}
