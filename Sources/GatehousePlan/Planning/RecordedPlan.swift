// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseManifest
package import GatehouseSDK
internal import GatehouseSupport

/// A plan as a value that outlives its files: enough to make the same instances again from kept images.
///
/// The configuration is in the form of `plugins.json`, with every instance in chain order, discovered ones too.
package struct RecordedPlan: Equatable, Sendable, ValueCodable {
    /// The library of one instance.
    package struct Library: Equatable, Sendable {
        /// The id of the plugin, and its version.
        package let plugin, version: String
        /// Names the bytes of the library with all that it brings from its folder, in hexadecimal.
        package let digest: String
        /// The name of its file.
        package let file: String
        /// Why it is in quarantine; nil when it is not.
        package let quarantine: String?
        /// The signature that lay beside it; nil where none counted.
        package let signature: String?
    }

    /// The configuration as it is written.
    package let written: Value
    /// The same as it is read.
    package let configuration: HostConfiguration
    /// The libraries of the instances, by their ids.
    package let libraries: [String: Library]
    /// The version of the host that ran it, and the fingerprint of its SDK.
    package let host: String

    /// The plan of a host whose plugins were loaded from libraries; nil where one was linked in.
    package init?(_ plan: HostPlan) {
        var libraries: [String: Library] = [:]
        for instance in plan.instances {
            guard let digest = instance.digest, let library = instance.library else { return nil }
            libraries[instance.id] = Library(
                plugin: instance.manifest.id, version: "\(instance.manifest.version)", digest: digest.hex,
                file: library.fileName.replacing("$", with: "_"), quarantine: instance.quarantine,
                signature: library.endorsement?.signature)
        }
        var members = plan.configuration.place?.value.objectValue ?? Members()
        if plan.configuration.place == nil { members["directory"] = .string(plan.configuration.directory) }
        members["state"] = plan.configuration.state
        members["plugins"] = .array(plan.instances.map(\.entry.value))
        written = .object(members)
        configuration = Self.read(written) ?? plan.configuration
        self.libraries = libraries
        host = Self.presentHost
    }

    /// A plan without instances.
    package static let nothing = RecordedPlan()

    /// A plan without instances.
    private init() {
        (written, configuration, libraries) = (.object(Members()), HostConfiguration(), [:])
        host = Self.presentHost
    }

    /// The entries in chain order.
    package var entries: [InstanceConfiguration] { configuration.instances }

    /// The digests of all images that it needs.
    package var digests: Set<String> { Set(libraries.values.map(\.digest)) }

    /// What tells this host from others whose plugins it cannot load.
    static var presentHost: String {
        let identity = SDKIdentity.current
        return "\(identity.sdkVersion) \(identity.sdkFingerprint)"
    }

    /// The version of the host that ran it.
    package var hostVersion: String { host.split(separator: " ").first.map(String.init) ?? host }

    /// Reads a configuration; nil for what no host writes.
    private static func read(_ written: Value) -> HostConfiguration? {
        ConfigurationParser.parse(Array(written.json().utf8), file: "the recorded configuration").readable
    }
}

// MARK: - In a journal

extension RecordedPlan {
    /// The plan as it is written.
    package var value: Value {
        let libraries = libraries.sorted { $0.key < $1.key }.map { id, library -> (String, Value) in
            var members: Members = [
                "plugin": .string(library.plugin), "version": .string(library.version),
                "digest": .string(library.digest), "file": .string(library.file),
            ]
            members["quarantine"] = library.quarantine.map { .string($0) }
            members["signature"] = library.signature.map { .string($0) }
            return (id, .object(members))
        }
        return [
            "host": .string(host), "configuration": written, "libraries": .object(Members(libraries)),
        ]
    }

    /// Reads a plan.
    ///
    /// - Throws: the member that no host writes.
    package init(_ value: Value) throws(CodingFailure) {
        guard let host = value["host"]?.stringValue, let written = value["configuration"],
            case .object(let libraries) = value["libraries"], let configuration = Self.read(written)
        else {
            throw CodingFailure(
                pointer: JSONPointer(tokens: ["plan"]),
                expected: "the members host, configuration and libraries", found: value.kindName)
        }
        self.host = host
        self.written = written
        self.configuration = configuration
        var read: [String: Library] = [:]
        for (id, library) in libraries {
            guard let plugin = library["plugin"]?.stringValue, let version = library["version"]?.stringValue,
                let digest = library["digest"]?.stringValue, let file = library["file"]?.stringValue
            else {
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["plan", "libraries", id]),
                    expected: "plugin, version, digest and file", found: library.kindName)
            }
            read[id] = Library(
                plugin: plugin, version: version, digest: digest, file: file,
                quarantine: library["quarantine"]?.stringValue,
                signature: library["signature"]?.stringValue)
        }
        self.libraries = read
    }
}

// MARK: - From kept images

extension RecordedPlan {
    /// Why a recorded plan cannot run here.
    package struct Obstacle: Error, Equatable, Sendable {
        /// The instances that cannot be made, in chain order, each with the reasons.
        package let instances: [(id: String, reasons: [String])]

        package static func == (one: Obstacle, other: Obstacle) -> Bool {
            one.instances.elementsEqual(other.instances) { $0.id == $1.id && $0.reasons == $1.reasons }
        }
    }

    /// The plan with the images that are kept in a folder, each judged like any library.
    ///
    /// - Parameters:
    ///   - folder: has a folder for each digest, in which the library is with what it brings along.
    ///   - trust: the rules for owners and modes.
    ///   - signing: finds out who vouches for the images by now; nil where nobody has to.
    ///   - pins: what the present entries pin, by id.
    /// - Throws: which instances cannot be made here.
    package func plan(
        from folder: String, trust: FileTrust, signing: SigningJudge? = nil,
        pins: [String: PinnedDigests] = [:]
    ) throws(Obstacle) -> HostPlan {
        var diagnostics: [Diagnostic] = []
        var obstacles: [(id: String, reasons: [String])] = []
        var entries: [HostPlan.Entry] = []
        var known: [String: PluginFolder.Candidate] = [:]
        let versions = InstalledVersions(trust: trust)
        for entry in configuration.instances {
            guard let library = libraries[entry.id] else {
                obstacles.append((entry.id, ["its library was not recorded"]))
                continue
            }
            let candidate =
                known[library.digest]
                ?? PluginFolder.candidate(
                    library.file, in: folder + "/" + library.digest, trust: trust, signing: signing,
                    signature: library.signature, versions: versions)
            known[library.digest] = candidate
            var present = entry
            present.sha256 = pins[entry.id]
            var verdict = candidate.verdict.pinned(
                to: present.sha256, library.file, found: candidate.digest)
            let consequence = signing?.consequence(of: candidate, for: present, verdict) ?? .none
            if case .refuse(let refusal) = consequence { verdict = verdict.refused(for: [refusal]) }
            guard verdict.isAccepted, let manifest = verdict.note?.manifest else {
                obstacles.append((entry.id, verdict.refusals.map(\.description)))
                continue
            }
            let planned = PlannedInstance(
                entry, manifest: manifest, library: candidate, placedBy: configuration.placement
            ).following(consequence, &diagnostics)
            guard planned.digest?.hex == library.digest else {
                obstacles.append((entry.id, ["the kept image \(candidate.path) is not the recorded one"]))
                continue
            }
            entries.append(
                HostPlan.Entry(
                    id: entry.id, isOptional: false,
                    outcome: .accepted(library.quarantine.map { planned.quarantined(because: $0) } ?? planned)
                ))
        }
        if !obstacles.isEmpty { throw Obstacle(instances: obstacles) }
        return HostPlan(
            configuration: configuration, entries: entries, spares: [], diagnostics: Diagnostics(diagnostics),
            signing: signing)
    }
}
