// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
package import GatehouseValue

/// A list of libraries that can be had at one place: a file that is signed as a whole, with the libraries and their signatures
/// below the same folder. Any web server can serve it, or nobody.
package struct PluginIndex: Equatable, Sendable {
    /// A library that can be had.
    package struct Entry: Equatable, Sendable {
        /// The id of its plugin.
        package let id: String
        /// Its version.
        package let version: SemanticVersion
        /// What it does, in one sentence.
        package let summary: String
        /// Where it is, from the folder of the index.
        package let file: String
        /// SHA-256 of its bytes, in hexadecimal.
        package let sha256: String
        /// The processor and the system for which it was built.
        package let target: String
        /// The fingerprint of the SDK that it was built with; nil for a plugin in another language, which any SDK takes.
        package let fingerprint: String?

        /// Why this host would not load it, as far as the index tells; nil where nothing speaks against it.
        package func obstacle(for host: BuildIdentity = SDKIdentity.current) -> String? {
            if target != host.triple {
                return "is for \(Quotation.bare(target)), this host is for \(host.triple)"
            }
            guard let fingerprint, fingerprint != host.sdkFingerprint else { return nil }
            return
                "was built with another SDK: its fingerprint is \(Quotation.bare(fingerprint)), that of this host \(host.sdkFingerprint)"
        }
    }

    /// The libraries, in the order of the file.
    package let entries: [Entry]

    /// An index of libraries.
    init(entries: [Entry]) { self.entries = entries }

    /// The name of the file.
    package static let name = "index.json"
    /// The most bytes that it may have.
    package static let limit = 16 << 20

    /// The newest version of a plugin, with the reasons why others are passed over: they do not fit this host.
    package func newest(_ id: String, for host: BuildIdentity = SDKIdentity.current)
        -> (entry: Entry?, passed: [String])
    {
        var (found, passed) = (Entry?.none, [String]())
        for entry in entries where entry.id == id {
            if let obstacle = entry.obstacle(for: host) {
                passed.append("version \(entry.version) \(obstacle)")
            } else if found.map({ $0.version < entry.version }) ?? true {
                found = entry
            }
        }
        return (found, passed)
    }
}

// MARK: - As a file

extension PluginIndex {
    /// The index as JSON.
    package var value: Value {
        let plugins = entries.map { entry -> Value in
            var members: Members = [
                "id": .string(entry.id), "version": .string("\(entry.version)"),
                "summary": .string(entry.summary), "file": .string(entry.file),
                "sha256": .string(entry.sha256), "target": .string(entry.target),
            ]
            members["fingerprint"] = entry.fingerprint.map { .string($0) }
            return .object(members)
        }
        return ["plugins": .array(plugins)]
    }

    /// Reads an index.
    ///
    /// - Throws: the first place that no `gatehouse index` writes.
    package init(_ value: Value) throws(CodingFailure) {
        guard case .array(let plugins) = value["plugins"] else {
            throw CodingFailure(
                pointer: .whole, expected: "an object with the member \"plugins\", an array",
                found: value.kindName)
        }
        var entries: [Entry] = []
        for (index, value) in plugins.enumerated() {
            guard let entry = Entry(value) else {
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["plugins", "\(index)"]),
                    expected:
                        "\"id\", \"version\", \"summary\", \"file\", \"sha256\" and \"target\" of a library",
                    found: value.json())
            }
            entries.append(entry)
        }
        self.entries = entries
    }

    /// The index of libraries in a folder and the folders below it, in order of their paths; what is no plugin is left out.
    ///
    /// - Parameter left: called with each file that is left out, and why.
    package init(of folder: String, leavingOut left: (String, String) -> Void) {
        var entries: [Entry] = []
        for file in Self.libraries(below: folder).sorted() {
            let path = folder + "/" + file
            let (sealed, verdict): (SealedFile, Verdict)
            do throws(LibraryFileError) {
                (sealed, verdict) = try SealedFile.judged(path: path)
            } catch {
                left(file, "it cannot be read")
                continue
            }
            guard let note = verdict.note else {
                left(file, verdict.refusals.map(\.description).joined(separator: "; "))
                continue
            }
            guard verdict.companions.isEmpty else {
                left(
                    file,
                    "it brings \(verdict.companions.map(\.name).joined(separator: ", ")) along; link that statically"
                )
                continue
            }
            let identity = note.identity
            entries.append(
                Entry(
                    id: note.manifest.id, version: note.manifest.version, summary: note.manifest.summary,
                    file: file, sha256: sealed.digest.hex,
                    target: identity?.triple ?? SDKIdentity.current.triple,
                    fingerprint: identity?.sdkFingerprint))
        }
        self.entries = entries
    }

    /// The paths of all libraries below a folder, from there.
    private static func libraries(below root: String) -> [String] {
        var (found, folders) = ([String](), [""])
        while let folder = folders.popLast() {
            for name in SystemFile.names(inFolder: root + "/" + folder) {
                let path = folder.isEmpty ? name : folder + "/" + name
                if SystemFile.isFolder(root + "/" + path) {
                    folders.append(path)
                } else if name.hasSuffix(".so") {
                    found.append(path)
                }
            }
        }
        return found
    }
}

extension PluginIndex.Entry {
    /// Reads an entry; nil for what no index has: also for a file outside of its folder.
    fileprivate init?(_ value: Value) {
        guard let id = value["id"]?.stringValue, PluginManifest.isID(id),
            let version = value["version"]?.stringValue.flatMap({ SemanticVersion($0) }),
            let summary = value["summary"]?.stringValue, let file = value["file"]?.stringValue,
            let sha256 = value["sha256"]?.stringValue, let target = value["target"]?.stringValue,
            file.hasSuffix(".so"),
            file.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({
                !["", ".", ".."].contains($0)
            }),
            file.utf8.allSatisfy({ byte in
                UnicodeScalar(byte).properties.isAlphabetic || (0x2D...0x39).contains(byte)
                    || [UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "~")].contains(byte)
            })
        else { return nil }
        self.init(
            id: id, version: version, summary: summary, file: file, sha256: sha256, target: target,
            fingerprint: value["fingerprint"]?.stringValue)
    }

    /// The name of the file without its folders.
    package var fileName: String { SystemFile.parts(of: file).name }
}
