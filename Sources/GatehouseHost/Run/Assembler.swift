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

    /// An assembler whose images are remembered in a cache.
    public init(cache: ImageCache, dependencies: HostDependencies) {
        self.cache = cache
        self.dependencies = dependencies
    }

    /// Makes the instances of a plan.
    ///
    /// - Throws: everything that is wrong.
    public func assemble(_ plan: HostPlan) throws(Findings) -> Assembly {
        if let failure = plan.failure { throw failure }
        let tree = StateTree(plain: plan.configuration.state)
        var owners = SliceOwners()
        var instances: [Instance] = []
        // What was in doubt is settled here.
        var findings = plan.findings.all.filter { $0.severity != .doubt }
        for planned in plan.instances {
            do {
                instances.append(try make(planned, in: tree, &owners))
            } catch {
                findings.append(error)
            }
        }
        if instances.isEmpty, plan.configuration.instances.isEmpty,
            let folder = plan.instances.first?.library?.folder
        {
            findings.append(.nothingLeft(of: plan.entries.count + plan.spares.count, in: folder))
        }
        let told = Findings(findings)
        if told.isFailure { throw told }
        return Assembly(
            instances: instances, tree: tree, dependencies: dependencies,
            configuration: plan.configuration, findings: told)
    }

    /// Loads the image of an entry, makes its instance, and gives its slice a place.
    ///
    /// - Throws: what the library contradicts itself in, or what the configuration asks for and the plugin cannot be.
    private func make(
        _ planned: PlannedInstance, in tree: StateTree, _ owners: inout SliceOwners
    ) throws(Finding) -> Instance {
        guard let file = planned.library?.file, let note = planned.library?.verdict.note else {
            throw planned.refusal("its bytes could not be read")
        }
        let image: LoadedImage
        do {
            image = try cache.image(of: file, note: note)
        } catch {
            throw planned.refusal(error.description)
        }
        if let reason = planned.objection(to: image.exports) { throw planned.refusal(reason) }
        let instance: Instance
        do {
            instance = try Instance(
                planned, exports: image.exports, tree: tree, dependencies: dependencies)
        } catch {
            throw planned.fault(at: ["settings"], error)
        }
        if let sentence = place(instance, in: tree, &owners) {
            throw planned.fault(at: ["lift", "state"], sentence)
        }
        return instance
    }

    /// Gives an instance's slice its place, and the value that the configuration has there.
    ///
    /// - Returns: why it cannot stand there; nil when it does.
    private func place(_ instance: Instance, in tree: StateTree, _ owners: inout SliceOwners) -> String? {
        guard !instance.slice.isEmpty else { return nil }
        let pointer = instance.slicePointer
        if let other = owners.rival(of: pointer) {
            return
                "the slice \(pointer) overlaps the slice \(other.slice) of \(other.id); give one of them another \"lift\"/\"state\""
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
        owners.add(SliceOwners.Claim(slice: pointer, id: instance.id))
        tree.own(pointer, instance.slice, by: instance.id)
        return nil
    }
}
