// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// Turns a configuration into instances: finds the libraries, judges, loads, lifts and gates; all problems at once.
///
/// Three steps, each only when the one before found nothing wrong: match entries with libraries (no code runs), load
/// images, make instances.
public struct Assembler {
    private let cache: ImageCache
    private let dependencies: HostDependencies
    private let trust: FileTrust
    /// The folder that relative paths start from.
    private let baseDirectory: String

    /// An assembler whose images are remembered in a cache.
    public init(cache: ImageCache, dependencies: HostDependencies, trust: FileTrust, baseDirectory: String) {
        self.cache = cache
        self.dependencies = dependencies
        self.trust = trust
        self.baseDirectory = baseDirectory
    }

    /// One entry and the library that it uses.
    struct Match {
        let entry: InstanceConfiguration
        let candidate: PluginFolder.Candidate
        /// Whether the host starts without it.
        let isOptional: Bool
    }

    /// Makes the instances of a configuration.
    ///
    /// - Throws: everything that is wrong.
    public func assemble(_ outcome: ConfigurationOutcome) throws(StartupFailure) -> Assembly {
        guard let configuration = outcome.readable else {
            throw StartupFailure(problems: outcome.problems, refusals: [], warnings: [])
        }
        var problems = outcome.problems
        var refusals: [PluginRefusal] = []
        var warnings: [String] = []

        let matcher = LibraryMatcher(configuration: configuration, baseDirectory: baseDirectory, trust: trust)
        let matches = matcher.match(&problems, &refusals, &warnings)
        try Self.stop(problems, refusals, warnings)

        var instances: [Instance] = []
        for match in matches {
            switch make(match) {
            case .made(let instance): instances.append(instance)
            case .wrong(let found): problems += found
            case .refused(let refusal):
                if match.isOptional { warnings.append(refusal.description) } else { refusals.append(refusal) }
            }
        }
        let tree = StateTree(plain: configuration.state)
        for instance in instances { problems += place(instance, in: tree, matches) }
        try Self.stop(problems, refusals, warnings)
        return Assembly(
            state: HostState(tree: tree, generation: Generation(instances: instances), inHand: dependencies.inHand),
            configuration: configuration,
            warnings: problems.map(\.description) + warnings)
    }

    /// Ends the assembly when something is wrong.
    private static func stop(
        _ problems: [ConfigurationProblem], _ refusals: [PluginRefusal], _ warnings: [String]
    ) throws(StartupFailure) {
        let failure = StartupFailure(
            problems: problems.sorted { $0.position < $1.position }, refusals: refusals, warnings: warnings)
        if failure.isConfigurationBroken || !refusals.isEmpty { throw failure }
    }

    /// What came of one entry.
    private enum Outcome {
        case made(Instance)
        case wrong([ConfigurationProblem])
        case refused(PluginRefusal)
    }

    /// Loads the image of an entry and makes its instance.
    private func make(_ match: Match) -> Outcome {
        let entry = match.entry
        guard let file = match.candidate.file, let note = match.candidate.verdict.note else {
            return .refused(refusal(match, ["its bytes could not be read"]))
        }
        let image: LoadedImage
        do {
            image = try cache.image(of: file, note: note)
        } catch {
            return .refused(refusal(match, [error.description]))
        }
        do {
            return .made(
                try Instance(entry, exports: image.exports, manifest: note.manifest, dependencies: dependencies))
        } catch {
            guard let place = entry.place else { return .refused(refusal(match, [error.description])) }
            let pointer = JSONPointer(tokens: ["settings"] + error.pointer.tokens)
            return .wrong([place.problem(at: pointer, .finding("expected \(error.expected), found \(error.found)"))])
        }
    }

    private func refusal(_ match: Match, _ reasons: [String]) -> PluginRefusal {
        PluginRefusal(path: match.candidate.path, instance: match.entry.id, reasons: reasons)
    }

    /// Gives an instance's slice its place, and the value that the configuration has there.
    private func place(_ instance: Instance, in tree: StateTree, _ matches: [Match]) -> [ConfigurationProblem] {
        guard !instance.slice.isEmpty else { return [] }
        let pointer = instance.slicePointer
        let place = matches.first { $0.entry.id == instance.id }?.entry.place
        let problem = { (sentence: String) -> [ConfigurationProblem] in
            place.map { [$0.problem(at: JSONPointer(tokens: ["lift", "state"]), .finding(sentence))] } ?? []
        }
        if let other = tree.slices.first(where: { $0.pointer.contains(pointer) || pointer.contains($0.pointer) }) {
            return problem(
                "the slice \(pointer) of \(instance.id) and the slice \(other.pointer) of \(other.instance) overlap; give one of them another \"lift\"/\"state\"")
        }
        if let value = tree.plain[pointer] {
            do {
                try instance.slice.restore(value)
            } catch {
                return problem(
                    "\"state\" has at \(pointer)\(error.pointer) \(error.found), but \(instance.id) keeps \(error.expected) there")
            }
        } else {
            var probe = tree.plain
            guard probe.set(true, at: pointer) else {
                return problem(
                    "\"state\" has a plain value on the way to \(pointer), where \(instance.id) keeps its slice; remove one of them")
            }
        }
        tree.own(pointer, instance.slice, by: instance.id)
        return []
    }
}
