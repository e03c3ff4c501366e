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
        var claims = SliceClaims(in: plan.configuration.state)
        var instances: [Instance] = []
        // What was in doubt is settled here.
        var findings = plan.findings.all.filter { $0.severity != .doubt }
        for planned in plan.instances {
            do {
                let instance = try make(planned, of: plan, in: tree, &claims)
                instances.append(instance)
                if planned.keepsState == nil, instance.slice.isEmpty, planned.entry.lift.state != nil {
                    findings.append(PlanReview.needlessSlice(of: planned))
                }
            } catch {
                findings.append(error)
            }
        }
        findings += cache.settle().map { Finding(.warning, $0) }
        if instances.isEmpty, let finding = plan.nothingLeft { findings.append(finding) }
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
        _ planned: PlannedInstance, of plan: HostPlan, in tree: StateTree, _ claims: inout SliceClaims
    ) throws(Finding) -> Instance {
        guard let (content, note) = planned.image else {
            throw planned.refusal(["its bytes could not be read"])
        }
        let image: LoadedImage
        do {
            image = try cache.image(
                of: content, note: note, from: plan.configuration.images, isTried: plan.isRehearsed)
        } catch {
            throw planned.refusal(error.sentences)
        }
        if let reason = planned.objection(to: image.exports) { throw planned.refusal([reason]) }
        let instance: Instance
        do {
            instance = try Instance(
                planned, exports: image.exports, tree: tree, dependencies: dependencies)
        } catch {
            throw planned.fault(at: ["settings"], error)
        }
        if let sentence = place(instance, in: tree, &claims) {
            throw planned.fault(at: ["lift", "state"], sentence)
        }
        return instance
    }

    /// Gives an instance's slice its place, and the value that the configuration has there.
    ///
    /// - Returns: why it cannot stand there; nil when it does.
    private func place(_ instance: Instance, in tree: StateTree, _ claims: inout SliceClaims) -> String? {
        guard !instance.slice.isEmpty else { return nil }
        let pointer = instance.slicePointer
        if let sentence = claims.claim(pointer, for: instance.id) { return sentence }
        if let value = tree.plain[pointer] {
            do {
                try instance.slice.restore(value)
            } catch {
                return
                    "\"state\" has \(error.found) at \(pointer)\(error.pointer), where \(instance.id) keeps \(error.expected); correct or remove it"
            }
        }
        tree.own(pointer, instance.slice, by: instance.id)
        return nil
    }
}
