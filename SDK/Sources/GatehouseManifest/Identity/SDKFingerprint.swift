// SPDX-License-Identifier: Apache-2.0

/// The digests of the SDK's sources: of what code outside of the SDK depends on, and of every byte.
///
/// Types of the SDK cross the boundary as they are, and some of its code is compiled into plugins, so a host and a plugin fit
/// together only if both were compiled from the same declarations and the same code that others see. `SourceSkeleton` is what
/// counts of each file.
public struct SDKFingerprint: Sendable {
    /// The digest of what counts.
    private let skeletons: Digest
    /// The digest of every byte, as 64 hexadecimal digits.
    public let sources: String

    /// Digests the sources in the order of their paths, regardless of the given order.
    ///
    /// - Parameter files: those for which `SourceFile.counts(path:)` holds.
    /// - Complexity: linear in the size of the files.
    public init(sources files: [SourceFile]) {
        var skeletons = SHA256()
        var sources = SHA256()
        for file in files.sorted(by: { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }) {
            Self.add(Array(file.path.utf8), to: &sources)
            Self.add(file.content, to: &sources)
            // The bodies of C are in the library alone.
            if file.path.hasSuffix(".c") { continue }
            Self.add(Array(file.path.utf8), to: &skeletons)
            Self.add(SourceSkeleton(of: file).text, to: &skeletons)
        }
        self.skeletons = skeletons.finish()
        self.sources = sources.finish().hex
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
        hash.update(skeletons.bytes)
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
