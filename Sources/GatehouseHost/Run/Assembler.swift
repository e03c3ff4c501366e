// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// Turns a plan into instances: loads, lifts and gates; all problems at once.
///
/// Two steps, each only when the one before found nothing wrong: the plan, for which no code runs, and the loading of
/// images and making of instances.
public struct Assembler {
    /// The images of this process; shared with later assemblies.
    private let cache: ImageCache
    /// What the host can grant to instances.
    private let dependencies: HostDependencies
    /// Says what there is to load.
    private let planner: Planner

    /// An assembler whose images are remembered in a cache; relative paths start at `baseDirectory`.
    public init(cache: ImageCache, dependencies: HostDependencies, trust: FileTrust, baseDirectory: String) {
        self.cache = cache
        self.dependencies = dependencies
        planner = Planner(trust: trust, baseDirectory: baseDirectory)
    }

    /// Makes the instances of a configuration.
    ///
    /// - Throws: everything that is wrong.
    public func assemble(_ outcome: ConfigurationOutcome) throws(StartupFailure) -> Assembly {
        try assemble(planner.plan(outcome))
    }

    /// Makes the instances of a plan.
    ///
    /// - Throws: everything that is wrong.
    public func assemble(_ plan: HostPlan) throws(StartupFailure) -> Assembly {
        if let failure = plan.failure { throw failure }
        var problems = plan.problems
        var refusals: [PluginRefusal] = []
        var warnings = plan.warnings

        let tree = StateTree(plain: plan.configuration.state)
        var instances: [Instance] = []
        for planned in plan.instances {
            switch make(planned, in: tree) {
            case .made(let instance): instances.append(instance)
            case .wrong(let problem): problems.append(problem)
            case .refused(let refusal):
                if planned.isOptional {
                    warnings.append(refusal.description)
                } else {
                    refusals.append(refusal)
                }
            }
        }
        let failure = StartupFailure(
            problems: problems.sorted { $0.position < $1.position }, refusals: refusals, warnings: warnings)
        if failure.isConfigurationBroken || !refusals.isEmpty { throw failure }
        return Assembly(
            instances: instances, tree: tree, dependencies: dependencies,
            configuration: plan.configuration, warnings: warnings, problems: problems)
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
    private func make(_ planned: PlannedInstance, in tree: StateTree) -> Outcome {
        guard let file = planned.library?.file, let note = planned.library?.verdict.note else {
            return .refused(refusal(planned, "its bytes could not be read"))
        }
        let image: LoadedImage
        do {
            image = try cache.image(of: file, note: note)
        } catch {
            return .refused(refusal(planned, error.description))
        }
        if let reason = note.manifest.objection(to: image.exports) {
            return .refused(refusal(planned, reason))
        }
        let instance: Instance
        do {
            instance = try Instance(
                planned.entry, exports: image.exports, manifest: note.manifest, tree: tree,
                dependencies: dependencies)
        } catch {
            let pointer = JSONPointer(tokens: ["settings"] + error.pointer.tokens)
            return fault(planned, at: pointer, "expected \(error.expected), found \(error.found)")
        }
        guard let sentence = place(instance, in: tree) else { return .made(instance) }
        return fault(planned, at: JSONPointer(tokens: ["lift", "state"]), sentence)
    }

    /// A problem with an entry of the file, or the refusal of a library that no entry names.
    private func fault(_ planned: PlannedInstance, at pointer: JSONPointer, _ sentence: String) -> Outcome {
        guard let place = planned.entry.place else { return .refused(refusal(planned, sentence)) }
        return .wrong(place.problem(at: pointer, .finding(sentence)))
    }

    /// Names the library and the instance that wanted it.
    private func refusal(_ planned: PlannedInstance, _ reason: String) -> PluginRefusal {
        PluginRefusal(
            path: planned.library?.path ?? planned.id, instance: planned.entry.id, reasons: [reason])
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
