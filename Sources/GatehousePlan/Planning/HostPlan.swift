// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehouseManifest
package import GatehouseSDK
package import GatehouseSupport

/// What a configuration and a plugin folder make together, found without running plugin code.
package struct HostPlan: Sendable {
    /// One entry of the configuration, or one discovered library, and what becomes of it.
    package struct Entry: Sendable {
        /// The id of the instance.
        package let id: String
        /// Whether the host starts without it.
        let isOptional: Bool
        /// The outcome, which says whether the entry takes part.
        package fileprivate(set) var outcome: Outcome

        /// Creates the account of an entry.
        package init(id: String, isOptional: Bool, outcome: Outcome) {
            self.id = id
            self.isOptional = isOptional
            self.outcome = outcome
        }
    }

    /// What becomes of an entry.
    package enum Outcome: Sendable {
        /// The entry takes part as this instance.
        case accepted(PlannedInstance)
        /// Its library is refused.
        case refused(Diagnostic)
        /// Nothing was found for it; why, as a sentence.
        case missing(String)
    }

    /// A library in the folder that takes no part.
    package struct Spare: Sendable {
        /// The library with its verdict.
        package let library: PluginFolder.Candidate
        /// Why it takes no part; empty for one that would be accepted but has no entry.
        package let reasons: [String]
        /// Whether its own manifest asks for an entry, whatever the configuration says about libraries without one.
        package var asksForEntry: Bool {
            reasons.isEmpty && library.verdict.note?.manifest.discovery == .never
        }
    }

    /// A library that would be accepted, and that neither a key nor a pin vouches for.
    package struct Unvouched: Sendable {
        /// The id of its instance, or the one that a discovered library would have.
        package let id: String
        /// The entry that uses it; nil for a discovered library.
        package let entry: InstanceConfiguration?
        /// The name of its file.
        package let library: String
        /// What its entry has to say to pin it.
        package let pins: PinnedDigests

        /// The same under the id of another entry.
        func named(_ id: String) -> Unvouched {
            Unvouched(id: id, entry: entry, library: library, pins: pins)
        }
    }

    /// What the operator wrote; the defaults where that could not be read.
    package private(set) var configuration: HostConfiguration
    /// The entries in chain order, then the discovered libraries in order of their file names.
    package private(set) var entries: [Entry]
    /// The shadows, in the order of the configuration.
    package private(set) var shadows: [PlannedShadow]
    /// The libraries that take no part, in order of their file names.
    package private(set) var spares: [Spare]
    /// What is wrong, and what an operator should know although the host starts.
    package internal(set) var diagnostics: Diagnostics
    /// Whether an owner, a mode, a signature, a pinned digest or what instances may emit is part of what keeps the host from starting: who does not
    /// trust a library does not want its older version either.
    package var isDistrusted: Bool {
        hasDistrusted
            || diagnostics.all.contains { diagnostic in
                diagnostic.severity == .error
                    && diagnostic.place?.pointer.tokens.contains {
                        ["sha256", "allow", "trust"].contains($0)
                    } == true
            }
    }

    /// The libraries that nobody vouches for; without a policy those that no entry pins.
    package let unvouched: [Unvouched]
    /// Finds out who vouches for libraries; nil where nobody has to.
    package let signing: SigningJudge?
    /// Whether a library is refused for its owner, mode, signature or digest.
    private let hasDistrusted: Bool
    /// Whether each instance has been tried, now or before, with the same bytes and settings.
    package private(set) var isRehearsed = false

    /// A plan that nobody has rehearsed.
    package init(
        configuration: HostConfiguration, entries: [Entry], shadows: [PlannedShadow] = [], spares: [Spare],
        diagnostics: Diagnostics, isDistrusted: Bool = false, signing: SigningJudge? = nil,
        unvouched: [Unvouched] = []
    ) {
        self.unvouched = unvouched
        self.signing = signing
        hasDistrusted = isDistrusted
        self.configuration = configuration
        self.entries = entries
        self.shadows = shadows
        self.spares = spares
        self.diagnostics = diagnostics
    }

    /// The instances that take part, in chain order.
    package var instances: [PlannedInstance] {
        entries.compactMap { if case .accepted(let instance) = $0.outcome { instance } else { nil } }
    }

    /// The same with lines wrapped in another way; nil for the same way.
    package func wrapping(_ wrap: LineWrap?) -> HostPlan {
        var plan = self
        if let wrap { plan.configuration.ingress.wrap = wrap }
        return plan
    }

    /// The same plan, with an error where its `trust` accepts more than another.
    package func refusingLooserTrust(than running: SigningPolicy?) -> HostPlan {
        let found = SigningPolicy.loosenings(from: running, to: configuration.trust)
        guard !found.isEmpty else { return self }
        var plan = self
        plan.diagnostics =
            diagnostics + [
                configuration.place.diagnostic(
                    at: ["trust"],
                    "\(found.joined(separator: "; ")): \"trust\" accepts more than the running host does, which a reload cannot change; restart the host, or put it back"
                )
            ]
        return plan
    }

    /// Remembers the signatures of what takes part, so that nothing older by the same keys replaces it unasked.
    ///
    /// - Returns: a warning where that could not be written.
    package func rememberSignatures() -> String? {
        signing?.remember(instances.filter { $0.quarantine == nil }.compactMap(\.library))
    }

    /// What keeps the host from starting; nil when nothing does, as far as that can be told without running plugin code.
    package var failure: Diagnostics? { diagnostics.isFailure ? diagnostics : nil }

    /// The same plan after a rehearsal.
    ///
    /// - Parameters:
    ///   - refused: why instances are refused, by id.
    ///   - obstacle: what kept others from being tried; nil for nothing.
    package func rehearsed(refusing refused: [String: Diagnostic], obstacle: Diagnostic? = nil) -> HostPlan {
        var plan = refusing(refused, obstacle.map { [$0] } ?? [])
        plan.isRehearsed = obstacle == nil
        return plan
    }

    /// The same plan with some instances refused, by id, and what else there is to tell.
    func refusing(_ refused: [String: Diagnostic], _ further: [Diagnostic] = []) -> HostPlan {
        var found = entries.compactMap { refused[$0.id] } + further
        if instances.allSatisfy({ refused[$0.id] != nil }), let diagnostic = nothingLeft {
            found.append(diagnostic)
        }
        var plan = self
        plan.change { planned in refused[planned.id].map { .refused($0) } }
        plan.diagnostics = diagnostics + found
        return plan
    }

    /// What to say when none of the instances can be made; nil where the configuration names some, which is told of each, and
    /// where there are none.
    package var nothingLeft: Diagnostic? {
        guard configuration.instances.isEmpty, let folder = instances.first?.library?.folder else {
            return nil
        }
        return .nothingLeft(of: entries.count + spares.count, in: folder)
    }

    /// The same plan with another beginning.
    ///
    /// - Parameters:
    ///   - state: what is merged over the state of the configuration (RFC 7396).
    ///   - gates: how the gates of instances stand, by id; not of those that follow the state.
    package func beginning(with state: Value, gates: [String: GateConfiguration.Default]) -> HostPlan {
        var plan = self
        plan.configuration.state.merge(state)
        plan.change { planned in
            gates[planned.id].map { .accepted(planned.behind(planned.entry.gate.starting(at: $0))) }
        }
        return plan
    }

    /// The same without those instances that are not among these: what of it runs.
    package func running(_ ids: [String]) -> HostPlan {
        var plan = self
        plan.entries = entries.filter { entry in
            guard case .accepted = entry.outcome else { return true }
            return ids.contains(entry.id)
        }
        return plan
    }

    /// The part of the plan that one of the stores of a member of a cluster has: the instances of these scopes. All of it where
    /// there is no cluster.
    ///
    /// What takes no part, and what there is to tell, is in the part with the scope `host` alone, so that it is told once; what
    /// keeps a host from starting is in each.
    package func members(of scopes: Set<PluginScope>) -> HostPlan {
        guard configuration.cluster != nil else { return self }
        var plan = self
        plan.entries = entries.filter { entry in
            guard case .accepted(let instance) = entry.outcome else { return scopes.contains(.host) }
            return scopes.contains(instance.scope)
        }
        if !scopes.contains(.host) {
            plan.spares = []
            plan.diagnostics = Diagnostics(diagnostics.all.filter { $0.severity == .error })
        }
        return plan
    }

    /// The same plan with some instances in quarantine, besides those that are.
    ///
    /// - Parameter quarantine: why an instance is in quarantine, and what is told of that; nil for one that is not.
    package func quarantining(_ quarantine: (PlannedInstance) -> (reason: String, told: Diagnostic)?)
        -> HostPlan
    {
        var plan = self
        var found: [Diagnostic] = []
        plan.change { planned in
            guard planned.quarantine == nil, let (reason, told) = quarantine(planned) else { return nil }
            found.append(told)
            return .accepted(planned.quarantined(because: reason))
        }
        plan.diagnostics = diagnostics + found
        return plan
    }

    /// The same plan with its instances in other places, whatever their entries and the policy say.
    package func placing(_ place: (PlannedInstance) -> Placement) -> HostPlan {
        var plan = self
        plan.change { .accepted($0.placed(place($0))) }
        return plan
    }

    /// The same when the bytes of the libraries are needed no longer: what a running host remembers.
    package var withoutFiles: HostPlan {
        var plan = self
        plan.spares = []
        plan.shadows = shadows.map(\.withoutFile)
        plan.change { .accepted($0.withoutFile) }
        return plan
    }

    /// The same with another instance in the place of the one with its id, and without shadows.
    func replacing(_ instance: PlannedInstance) -> HostPlan {
        var plan = self
        plan.shadows = []
        plan.configuration.shadows = []
        plan.change { $0.id == instance.id ? .accepted(instance) : nil }
        return plan
    }

    /// Decides anew what becomes of the entries that take part; nil leaves one as it is.
    private mutating func change(_ outcome: (PlannedInstance) -> Outcome?) {
        for index in entries.indices {
            guard case .accepted(let planned) = entries[index].outcome, let outcome = outcome(planned) else {
                continue
            }
            entries[index].outcome = outcome
        }
    }

    /// How the gate of an instance stands before the first action; nil when that depends on a plugin's own state.
    package func start(of instance: PlannedInstance) -> GateConfiguration.Default? {
        instance.entry.gate.start(state: configuration.state, slices: instances.compactMap(\.slice))
    }
}
