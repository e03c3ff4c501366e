// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// Compares one entry with the manifest of its plugin.
struct EntryReview {
    /// What does not fit, each with its place in the file; none for an entry that was not read from a file.
    private(set) var diagnostics: [Diagnostic] = []
    /// The manifest of the plugin.
    private let manifest: PluginManifest

    /// Looks at an entry and the plugin it uses.
    init(_ entry: InstanceConfiguration, _ manifest: PluginManifest) {
        self.manifest = manifest
        guard let place = entry.place else { return }
        checkSettings(entry.settings, at: place)
        if case .map(let map) = entry.lift.input {
            check(map, \.to, of: manifest.consumes, "consume", at: place, axis: "input")
        }
        if case .map(let map) = entry.lift.output {
            check(map, \.from, of: manifest.emits, "emit", at: place, axis: "output")
        }
    }

    /// Compares the settings with the plugin's schema.
    private mutating func checkSettings(_ settings: Value, at place: ConfigurationPlace) {
        guard let schema = manifest.settings else { return }
        for violation in Schema(schema).violations(of: settings, isPatch: true) {
            diagnostics.append(
                place.diagnostic(
                    at: ["settings"] + violation.pointer.tokens, isKey: violation.subject == .key,
                    violation.sentence))
        }
    }

    /// Looks for lines of a map whose local side is nothing that the plugin declares.
    private mutating func check(
        _ map: NameMap, _ local: KeyPath<NameMap.Entry, TypePattern>, of declared: [String], _ verb: String,
        at place: ConfigurationPlace, axis: String
    ) {
        let patterns = declared.compactMap { TypePattern($0) }
        for line in map.entries {
            let name = line[keyPath: local]
            guard !patterns.contains(where: { $0.intersection(name) != nil }) else { continue }
            let sentence: String
            if patterns.isEmpty {
                sentence = "the plugin \(manifest.id) does not \(verb) anything; remove it"
            } else if name.isOpen {
                sentence =
                    "the plugin \(manifest.id) does not \(verb) anything that begins with \"\(name.stem)\"; correct or remove it"
            } else {
                sentence = Self.missing(
                    "the plugin \(manifest.id) does not \(verb) \"\(name.stem)\"", name.stem, declared)
            }
            diagnostics.append(place.diagnostic(at: ["lift", axis, line.from.description], sentence))
        }
    }

    /// The dependencies that an entry asks for and the host does not have.
    static func unknownDependencies(of entry: InstanceConfiguration) -> [Diagnostic] {
        guard let place = entry.place else { return [] }
        return (entry.lift.dependencies ?? []).enumerated().compactMap { index, name in
            guard !LiftConfiguration.dependencyNames.contains(name) else { return nil }
            let known = LiftConfiguration.dependencyNames.map { "\"\($0)\"" }.joined(separator: ", ")
            return place.diagnostic(
                at: ["lift", "dependencies", "\(index)"],
                missing(
                    "unknown dependency \"\(name)\", the host has \(known)", name,
                    LiftConfiguration.dependencyNames))
        }
    }

    /// A sentence about a name that nothing has, with the near miss or else another advice.
    static func missing(
        _ sentence: String, _ name: String, _ known: [String], or advice: String = "correct or remove it"
    ) -> String {
        guard let near = NearMiss.suggestion(for: name, among: known) else { return sentence + "; " + advice }
        return sentence + "; did you mean \"\(near)\"?"
    }
}
