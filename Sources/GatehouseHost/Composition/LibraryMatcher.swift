// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// Finds the library of each entry, and the libraries that no entry names; runs no plugin code.
struct LibraryMatcher {
    /// Names entries, folder and what becomes of other libraries.
    let configuration: HostConfiguration
    /// The folder that relative paths start from.
    let baseDirectory: String
    /// Whose files are believed.
    let trust: FileTrust

    /// The entries with their libraries in chain order, then the discovered ones in order of their file names.
    func match(
        _ problems: inout [ConfigurationProblem], _ refusals: inout [PluginRefusal],
        _ warnings: inout [String]
    ) -> [Assembler.Match] {
        let path = folderPath
        let folder: PluginFolder
        do {
            folder = try PluginFolder(path: path, trust: trust)
        } catch {
            // The other errors say themselves what to do about a folder that is the right one.
            let remedy =
                switch error {
                case .missing, .notAFolder: "; name the folder that holds the plugin libraries"
                default: ""
                }
            problems += configuration.problem(at: "directory", "\(error)\(remedy)")
            return []
        }
        warnings += folder.warnings
        var matches: [Assembler.Match] = []
        for entry in configuration.instances {
            problems += findings(about: entry)
            guard let candidate = find(entry, in: folder, &problems, &warnings) else { continue }
            let verdict = candidate.verdict.pinned(to: entry.sha256, found: candidate.file?.digest)
            guard verdict.isAccepted, let manifest = verdict.note?.manifest else {
                let refusal = PluginRefusal(
                    path: candidate.path, instance: entry.id, reasons: verdict.refusals.map(\.description))
                if entry.isOptional { warnings.append(refusal.description) } else { refusals.append(refusal) }
                continue
            }
            problems += findings(about: entry, manifest)
            matches.append(Assembler.Match(entry: entry, candidate: candidate, isOptional: entry.isOptional))
        }
        return matches + discovered(in: folder, &warnings)
    }

    /// The path of the plugin folder, without needless dots.
    private var folderPath: String {
        guard !configuration.directory.hasPrefix("/") else { return configuration.directory }
        let parts = configuration.directory.split(separator: "/").filter { $0 != "." }
        return ([baseDirectory == "/" ? "" : baseDirectory] + parts.map(String.init)).joined(separator: "/")
    }

    /// The library of an entry, by file name or by the id it declares.
    private func find(
        _ entry: InstanceConfiguration, in folder: PluginFolder, _ problems: inout [ConfigurationProblem],
        _ warnings: inout [String]
    ) -> PluginFolder.Candidate? {
        let found: PluginFolder.Candidate?
        let missing: (key: String, sentence: String)?
        if let library = entry.library {
            found = folder.candidates.first { $0.fileName == library }
            let names = folder.candidates.map(\.fileName)
            missing =
                found == nil
                ? (
                    "library",
                    Self.missing(
                        "there is no \(library) in \(folder.path)", library, names,
                        or: "put it there or correct the name")
                ) : nil
        } else {
            let declaring = folder.candidates.filter { $0.pluginID == entry.id }
            found = declaring.count == 1 ? declaring[0] : nil
            let ids = folder.candidates.compactMap(\.pluginID)
            missing =
                switch declaring.count {
                case 0:
                    (
                        "id",
                        Self.missing(
                            "no library in \(folder.path) declares the plugin id \"\(entry.id)\"", entry.id,
                            ids,
                            or: "put the library there, or name its file with \"library\"")
                    )
                case 1: nil
                default:
                    (
                        "id",
                        "\(declaring.map(\.fileName).joined(separator: " and ")) both declare the plugin id \"\(entry.id)\"; name one of them with \"library\""
                    )
                }
        }
        guard let missing else { return found }
        let severity: ConfigurationProblem.Severity = entry.isOptional ? .warning : .error
        if let place = entry.place {
            problems.append(
                place.problem(
                    at: JSONPointer(tokens: [missing.key]), severity: severity, .finding(missing.sentence)))
        } else {
            warnings.append(missing.sentence)
        }
        return nil
    }

    /// A sentence about a name that nothing has, with the near miss or else another advice.
    private static func missing(
        _ sentence: String, _ name: String, _ known: [String], or advice: String = "correct or remove it"
    ) -> String {
        guard let near = NearMiss.suggestion(for: name, among: known) else { return sentence + "; " + advice }
        return sentence + "; did you mean \"\(near)\"?"
    }

    /// What is wrong with an entry whatever its plugin.
    private func findings(about entry: InstanceConfiguration) -> [ConfigurationProblem] {
        guard let place = entry.place else { return [] }
        return (entry.lift.dependencies ?? []).enumerated().compactMap { index, name in
            guard !HostDependencies.names.contains(name) else { return nil }
            let known = HostDependencies.names.map { "\"\($0)\"" }.joined(separator: ", ")
            return place.problem(
                at: JSONPointer(tokens: ["lift", "dependencies", "\(index)"]),
                .finding(
                    Self.missing(
                        "unknown dependency \"\(name)\", the host has \(known)", name, HostDependencies.names)
                ))
        }
    }

    /// What an entry asks of a plugin that the plugin does not declare.
    private func findings(about entry: InstanceConfiguration, _ manifest: PluginManifest)
        -> [ConfigurationProblem]
    {
        guard let place = entry.place else { return [] }
        var problems = Self.unknownSettings(of: entry, at: place, manifest)
        if case .map(let map) = entry.lift.input {
            for line in map.entries where !line.to.isOpen && !Self.covers(manifest.consumes, line.to.stem) {
                problems.append(
                    place.problem(
                        at: JSONPointer(tokens: ["lift", "input", line.from.description]),
                        .finding(
                            Self.missing(
                                "the plugin \(manifest.id) does not consume \"\(line.to.stem)\"",
                                line.to.stem,
                                manifest.consumes))))
            }
        }
        if case .map(let map) = entry.lift.output {
            for line in map.entries where !line.from.isOpen && !Self.covers(manifest.emits, line.from.stem) {
                problems.append(
                    place.problem(
                        at: JSONPointer(tokens: ["lift", "output", line.from.description]),
                        .finding(
                            Self.missing(
                                "the plugin \(manifest.id) does not emit \"\(line.from.stem)\"",
                                line.from.stem,
                                manifest.emits))))
            }
        }
        return problems
    }

    /// Settings that the plugin's schema does not have, when it says that it has no others.
    private static func unknownSettings(
        of entry: InstanceConfiguration, at place: ConfigurationPlace, _ manifest: PluginManifest
    ) -> [ConfigurationProblem] {
        guard let schema = manifest.settings, schema["additionalProperties"] == false,
            case .object(let given) = entry.settings
        else { return [] }
        var known: [String] = []
        if case .object(let properties) = schema["properties"] { known = properties.map(\.key) }
        return given.map(\.key).filter { !known.contains($0) }.map { key in
            let advice =
                known.isEmpty ? "remove it" : "it has " + known.map { "\"\($0)\"" }.joined(separator: ", ")
            return place.problem(
                at: JSONPointer(tokens: ["settings", key]),
                .finding(
                    missing("the plugin \(manifest.id) has no setting \"\(key)\"", key, known, or: advice)))
        }
    }

    /// Whether a name is among those a manifest declares, some of them patterns.
    private static func covers(_ declared: [String], _ name: String) -> Bool {
        declared.contains { TypePattern($0)?.covers(local: name) ?? false }
    }

    /// The libraries that no entry names, with default settings, lift and gate.
    private func discovered(in folder: PluginFolder, _ warnings: inout [String]) -> [Assembler.Match] {
        guard configuration.discovery == .activate else { return [] }
        let named = Set(configuration.instances.compactMap(\.library))
        let namedIDs = Set(configuration.instances.filter { $0.library == nil }.map(\.id))
        var ids = Set(configuration.instances.map(\.id))
        var matches: [Assembler.Match] = []
        for candidate in folder.candidates where !named.contains(candidate.fileName) {
            if let id = candidate.pluginID, namedIDs.contains(id) { continue }
            guard candidate.verdict.isAccepted, let id = candidate.pluginID else {
                warnings.append(
                    PluginRefusal(
                        path: candidate.path, instance: nil,
                        reasons: candidate.verdict.refusals.map(\.description)
                    ).description)
                continue
            }
            guard ids.insert(id).inserted else {
                warnings.append(
                    PluginRefusal(
                        path: candidate.path, instance: nil,
                        reasons: [
                            "its plugin id \"\(id)\" is the id of another instance; name the file in plugins.json with an id of its own"
                        ]
                    ).description)
                continue
            }
            matches.append(
                Assembler.Match(entry: InstanceConfiguration(id: id), candidate: candidate, isOptional: true))
        }
        return matches
    }
}
