// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// The bytes that an entry accepts, as SHA-256 in lower-case hexadecimal digits.
package enum PinnedDigests: Equatable, Sendable {
    /// The digest of the library; the files that it brings along may be any.
    case library(String)
    /// The digests of the library and of each file that it brings along, by their names in the plugin folder.
    case files([String: String])

    /// The bytes of a library and of all that it brings along; nil where they could not be read.
    package init?(of library: PluginFolder.Candidate) {
        guard let digest = library.digest else { return nil }
        let companions = library.verdict.companions.map { ($0.name, $0.digest.hex) }
        self =
            companions.isEmpty
            ? .library(digest.hex)
            : .files(Dictionary([(library.fileName, digest.hex)] + companions) { first, _ in first })
    }

    /// The digest, or the digests by name, as JSON.
    package var value: Value {
        switch self {
        case .library(let digest): .string(digest)
        case .files(let files):
            .object(Members(files.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
        }
    }

    /// The violations by a library and its companions, each of which has a name and a digest; none when all are pinned.
    package func refusals(of library: (name: String, digest: String), with companions: [Companion])
        -> [Refusal]
    {
        switch self {
        case .library(let digest):
            return digest == library.digest ? [] : [.digest(of: nil, expected: digest, found: library.digest)]
        case .files(let files):
            let found = [library] + companions.map { (name: $0.name, digest: $0.digest.hex) }
            return found.enumerated().compactMap { index, file in
                let expected = files[file.name]
                guard expected != file.digest else { return nil }
                return .digest(of: index == 0 ? nil : file.name, expected: expected, found: file.digest)
            }
        }
    }

    /// Whether nothing that a library brings along is left open, provided that there are no violations.
    package func isWhole(with companions: [Companion]) -> Bool {
        if case .files = self { true } else { companions.isEmpty }
    }

    /// The files that a library brings along without a pin, and the pins without such a file.
    package func gaps(of library: (name: String, digest: String), with companions: [Companion]) -> [String] {
        switch self {
        case .library:
            guard !companions.isEmpty else { return [] }
            let all = [library] + companions.map { (name: $0.name, digest: $0.digest.hex) }
            let digests = Value.object(Members(all.map { ($0.name, .string($0.digest)) })).json()
            let names = companions.map(\.name).joined(separator: ", ")
            return [
                "the bytes of what comes along with \(library.name) are not pinned: \(names); if you trust them, write \"sha256\": \(digests)"
            ]
        case .files(let files):
            let names = Set([library.name] + companions.map(\.name))
            return files.keys.filter { !names.contains($0) }.sorted().map {
                "\(library.name) does not bring \(Quotation.of($0)) along; remove it"
            }
        }
    }
}
