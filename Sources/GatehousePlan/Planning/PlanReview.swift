// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// Looks for what is allowed but likely says something else than was meant; never keeps the host from starting.
struct PlanReview {
    /// The configuration that the operator wrote.
    private let configuration: HostConfiguration
    /// Those that take part, in chain order.
    private let instances: [PlannedInstance]

    /// The warnings and doubts found so far.
    private(set) var diagnostics: [Diagnostic] = []

    /// Reviews a plan that nothing keeps from starting.
    init(_ plan: HostPlan) {
        configuration = plan.configuration
        instances = plan.instances
        checkIngress()
        for instance in instances {
            checkInput(of: instance)
            checkLift(of: instance)
            checkAllowed(by: instance)
            checkGate(of: instance)
        }
        for cycle in ActionCycle.all(among: instances) {
            let place = cycle.first.place.map { ["settings"] + $0.tokens } ?? []
            tell(
                cycle.first.instance, place,
                "its actions may go round in a circle: \(cycle); one that never ends is cut after \(configuration.limits.chain) outputs in a row, or \(configuration.limits.actions) altogether"
            )
        }
        checkSlices()
        checkInterceptors()
    }

    // MARK: - Interceptors

    /// Plugins whose manifests do not say what becomes of actions that they cannot decide about while they are in quarantine.
    private mutating func checkInterceptors() {
        var seen: Set<String> = []
        for instance in instances where instance.intercepts && instance.manifest.onQuarantine == nil {
            guard seen.insert(instance.manifest.id).inserted else { continue }
            diagnostics.append(
                Diagnostic(
                    .doubt, instance: instance.id,
                    "the plugin \(instance.manifest.id) intercepts, and its plugin.json does not say what becomes of actions while it is in quarantine, so they pass; add \"onQuarantine\": \"pass\" or \"stop\" there"
                ))
        }
    }

    // MARK: - Slices

    /// Slices that overlap, of which a note does not tell whether the plugin keeps state there.
    private mutating func checkSlices() {
        var owners = SliceOwners()
        for instance in instances {
            guard let slice = instance.slice else {
                if instance.entry.lift.state != nil { diagnostics.append(instance.needlessSlice) }
                continue
            }
            // Two instances of one name are a mistake of their own.
            if let other = owners.rival(of: slice), other.id != instance.id {
                diagnostics.append(
                    Diagnostic(
                        .doubt,
                        "the slice \(slice) of \(instance.id) overlaps the slice \(other.slice) of \(other.id); if both plugins keep state, give one of them another \"lift\"/\"state\""
                    ))
            }
            owners.add(SliceOwners.Claim(slice: slice, id: instance.id))
        }
    }

    // MARK: - Host actions

    /// Host actions that input may or may not carry but that do not exist, and a list that only they are on.
    private mutating func checkIngress() {
        guard let place = configuration.place else { return }
        let ingress = configuration.ingress
        for (key, patterns) in [("allow", ingress.allow ?? []), ("deny", ingress.deny)] {
            for (index, pattern) in patterns.enumerated() where pattern.isForHost {
                guard let sentence = Self.objection(toHostAction: pattern) else { continue }
                diagnostics.append(place.diagnostic(.warning, at: ["ingress", key, "\(index)"], sentence))
            }
        }
        if let allow = ingress.allow, allow.allSatisfy(\.isForHost) {
            diagnostics.append(
                place.diagnostic(
                    .warning, at: ["ingress", "allow"], isKey: true,
                    "it lists \(allow.isEmpty ? "nothing" : "host actions alone"), so that input may carry nothing else; add \"*\" for every other type"
                ))
        }
    }

    /// Why a pattern grants nothing, nil when it covers a host action.
    private static func objection(toHostAction pattern: TypePattern) -> String? {
        let names = HostActions.all.map(\.name)
        guard !names.contains(where: { pattern.admits($0) }) else { return nil }
        let folders = names.compactMap { name in name.lastIndex(of: "/").map { String(name[...$0]) + "*" } }
        return EntryReview.missing(
            "there is no host action \"\(pattern)\"", pattern.description,
            pattern.isOpen ? folders : names, or: "the host has " + Quotation.list(of: names))
    }

    // MARK: - What is heard and emitted

    /// An input for a plugin that listens to nothing.
    private mutating func checkInput(of instance: PlannedInstance) {
        guard case .prefix = instance.entry.lift.input, instance.manifest.consumes.isEmpty else { return }
        tell(
            instance, ["lift", "input"],
            "the plugin \(instance.manifest.id) does not consume anything; remove it")
    }

    /// Names that the plugin both emits and consumes and that do not come back to it, and two that leave it as one.
    private mutating func checkLift(of instance: PlannedInstance) {
        let (lift, manifest) = (instance.entry.lift, instance.manifest)
        let lost = manifest.emits.filter { name in
            guard !name.hasSuffix("*"), manifest.consumes.contains(name),
                let global = instance.names.global(of: name)
            else { return false }
            return instance.names.local(of: global) != name
        }
        if !lost.isEmpty {
            tell(
                instance, ["lift"],
                "the plugin \(manifest.id) both emits and consumes \(Quotation.list(of: lost)), but with this lift it does not hear its own; give them the same names in \"input\" and \"output\""
            )
        }
        guard case .map(let map) = lift.output else { return }
        var sources: [String: TypePattern] = [:]
        for line in map.entries where !line.from.isOpen {
            guard let first = sources[line.to.stem] else {
                sources[line.to.stem] = line.from
                continue
            }
            tell(
                instance, ["lift", "output", line.from.description],
                "\(Quotation.of("\(first)")) and \(Quotation.of("\(line.from)")) both become \(Quotation.of("\(line.to)")), so that nobody can tell which of them it was; give each a name of its own"
            )
        }
    }

    /// Types that may be emitted although the plugin does not declare them, or although they do not exist.
    private mutating func checkAllowed(by instance: PlannedInstance) {
        let declared = instance.names.withoutSettings.declaredOutputs.map(\.global)
        for (index, pattern) in (instance.entry.allow ?? []).enumerated() {
            if pattern.isForHost {
                if let sentence = Self.objection(toHostAction: pattern) {
                    tell(instance, ["allow", "\(index)"], sentence)
                }
            } else if !declared.contains(where: { $0.intersection(pattern) != nil }) {
                tell(
                    instance, ["allow", "\(index)"],
                    EntryReview.missing(
                        "the plugin \(instance.manifest.id) does not declare that it emits \"\(pattern)\"",
                        pattern.description, declared.map(\.description),
                        or: declared.isEmpty
                            ? "it declares no emits"
                            : "it declares " + Quotation.list(of: declared.map(\.description))))
            }
        }
    }

    // MARK: - Gates

    /// A gate that follows a place where nothing that opens a gate can be.
    private mutating func checkGate(of instance: PlannedInstance) {
        guard case .state(let pointer) = instance.entry.gate else { return }
        if instances.contains(where: { $0.slice?.contains(pointer) == true }) { return }
        let part = ["gate", "state"]
        if let inside = instances.first(where: { $0.slice.map(pointer.contains) == true }) {
            return tell(
                instance, part,
                "at \(pointer) is an object with the slice of \(inside.id), which never opens a gate; point at a boolean"
            )
        }
        guard let value = configuration.state[pointer] else {
            let known = Self.gatePointers(in: configuration.state, .whole)
            return tell(
                instance, part,
                EntryReview.missing(
                    "\"state\" has nothing at \(pointer), so the gate stays closed until \(HostActions.mergeState) puts true there",
                    "\(pointer)", known.map(\.description), or: "add it to \"state\""))
        }
        guard GateConfiguration.position(for: value) == nil else { return }
        tell(
            instance, part,
            "expected true, false, \"active\" or \"bypass\" at \(pointer) in \"state\", found \(value.quoted); the gate stays closed until that changes"
        )
    }

    /// The places of a state that hold what a gate can follow.
    private static func gatePointers(in value: Value, _ pointer: JSONPointer) -> [JSONPointer] {
        if GateConfiguration.position(for: value) != nil { return [pointer] }
        return (value.objectValue ?? [:]).flatMap { gatePointers(in: $0.value, pointer.appending($0.key)) }
    }

    // MARK: - Words

    /// Notes a warning about an instance, with its place where there is one.
    private mutating func tell(_ instance: PlannedInstance, _ part: [String], _ sentence: String) {
        diagnostics.append(instance.diagnostic(.warning, at: part, sentence))
    }
}
