// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// Turns a configuration into instances: finds the libraries, judges, loads, lifts and gates; all problems at once.
///
/// Three steps, each only when the one before found nothing wrong: match entries with libraries (no code runs), load
/// images, make instances.
public struct Assembler {
    /// The images of this process; shared with later assemblies.
    private let cache: ImageCache
    /// What the host can grant to instances.
    private let dependencies: HostDependencies
    /// Whose files are believed.
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
        /// What the operator wrote, or the defaults for a discovered library.
        let entry: InstanceConfiguration
        /// The library that the entry means.
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

        let tree = StateTree(plain: configuration.state)
        var instances: [Instance] = []
        for match in matches {
            switch make(match, in: tree) {
            case .made(let instance): instances.append(instance)
            case .wrong(let problem): problems.append(problem)
            case .refused(let refusal):
                if match.isOptional { warnings.append(refusal.description) } else { refusals.append(refusal) }
            }
        }
        try Self.stop(problems, refusals, warnings)
        return Assembly(
            state: HostState(
                tree: tree, generation: Generation(instances: instances), window: dependencies.window),
            configuration: configuration, warnings: warnings, problems: problems)
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
        /// The instance, ready for the chain.
        case made(Instance)
        /// The configuration asks for what the plugin cannot be.
        case wrong(ConfigurationProblem)
        /// The library contradicts itself or does not give an instance.
        case refused(PluginRefusal)
    }

    /// Loads the image of an entry, makes its instance, and gives its slice a place.
    private func make(_ match: Match, in tree: StateTree) -> Outcome {
        guard let file = match.candidate.file, let note = match.candidate.verdict.note else {
            return .refused(refusal(match, "its bytes could not be read"))
        }
        let image: LoadedImage
        do {
            image = try cache.image(of: file, note: note)
        } catch {
            return .refused(refusal(match, error.description))
        }
        if let reason = note.manifest.objection(to: image.exports) {
            return .refused(refusal(match, reason))
        }
        let instance: Instance
        do {
            instance = try Instance(
                match.entry, exports: image.exports, manifest: note.manifest, dependencies: dependencies)
        } catch {
            let pointer = JSONPointer(tokens: ["settings"] + error.pointer.tokens)
            return fault(match, at: pointer, "expected \(error.expected), found \(error.found)")
        }
        guard let sentence = place(instance, in: tree) else { return .made(instance) }
        return fault(match, at: JSONPointer(tokens: ["lift", "state"]), sentence)
    }

    /// A problem with an entry of the file, or the refusal of a library that no entry names.
    private func fault(_ match: Match, at pointer: JSONPointer, _ sentence: String) -> Outcome {
        guard let place = match.entry.place else { return .refused(refusal(match, sentence)) }
        return .wrong(place.problem(at: pointer, .finding(sentence)))
    }

    /// Names the library and the instance that wanted it.
    private func refusal(_ match: Match, _ reason: String) -> PluginRefusal {
        PluginRefusal(path: match.candidate.path, instance: match.entry.id, reasons: [reason])
    }

    /// Gives an instance's slice its place, and the value that the configuration has there.
    ///
    /// - Returns: why it cannot stand there; nil when it does.
    private func place(_ instance: Instance, in tree: StateTree) -> String? {
        guard !instance.slice.isEmpty else { return nil }
        let pointer = instance.slicePointer
        if let other = tree.slices.first(where: {
            $0.pointer.contains(pointer) || pointer.contains($0.pointer)
        }) {
            return
                "the slice \(pointer) overlaps the slice \(other.pointer) of \(other.instance); give one of them another \"lift\"/\"state\""
        }
        if let value = tree.plain[pointer] {
            do {
                try instance.slice.restore(value)
            } catch {
                return
                    "\"state\" has \(error.found) at \(pointer)\(error.pointer), where \(instance.id) keeps \(error.expected); correct or remove it"
            }
        } else {
            var probe = tree.plain
            guard probe.set(true, at: pointer) else {
                return
                    "\"state\" has a plain value on the way to \(pointer), where \(instance.id) keeps its slice; remove one of them"
            }
        }
        tree.own(pointer, instance.slice, by: instance.id)
        return nil
    }
}
