// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehouseManifest
package import GatehouseSDK
package import GatehouseSupport

/// One instance as it would take part; its library was judged, none of its code has run.
package struct PlannedInstance: Sendable {
    /// The entry of the configuration, or the one that stands for a discovered library.
    package private(set) var entry: InstanceConfiguration
    /// What the library declares.
    private let description: PluginDescription
    /// The library; nil for a plugin that is linked in.
    package private(set) var library: PluginFolder.Candidate?
    /// Whether the host starts without it.
    let isOptional: Bool
    /// Whether the plugin keeps state; nil where its note does not tell, and only loading does.
    package let keepsState: Bool?
    /// Why its library is in quarantine; nil when it is not.
    package private(set) var quarantine: String?
    /// Where it runs: as its entry says, or as the policy does.
    package private(set) var placement: PlannedPlacement
    /// How its action names and the host's belong together.
    package let names: LiftedNames

    /// One use of a plugin.
    ///
    /// - Parameter policy: where it runs if its entry does not say it.
    package init(
        _ entry: InstanceConfiguration, manifest: PluginManifest, library: PluginFolder.Candidate? = nil,
        placedBy policy: PlacementPolicy = PlacementPolicy(), isOptional: Bool = false,
        keepsState: Bool? = nil
    ) {
        self.entry = entry
        // All instances of a library share what it declares.
        let shared = library?.description
        description =
            shared?.manifest == manifest ? shared ?? PluginDescription(manifest) : PluginDescription(manifest)
        self.library = library
        placement = policy.placement(own: entry.placement, digest: library?.imageHex)
            .taken(by: library?.verdict.match)
        self.isOptional = isOptional
        self.keepsState = keepsState ?? library?.verdict.note?.keepsState
        names = LiftedNames(
            instance: entry.id, of: description, settings: entry.settings, lift: entry.lift,
            allow: entry.allow)
    }

    /// The manifest of the library.
    package var manifest: PluginManifest { description.manifest }

    /// Names the bytes of the library with all that it brings from its folder; nil for a plugin that is linked in.
    package var digest: Digest? { library?.imageDigest }

    /// Whether it runs in a process other than the host's.
    package var runsInWorker: Bool { placement.place != .host }

    /// The installed version whose worker alone can load its library; nil for a library of this host.
    package var match: VersionMatch? { placement.match }

    /// The program whose children may run its code.
    package var program: String { match?.version.program ?? HostChild.ownProgram }

    /// The worker that it shares with others that name it; nil for one of its own, and in the host.
    package var sharedWorker: String? {
        if case .shared(let name) = placement.place { name } else { nil }
    }

    /// The same when the bytes of its library are needed no longer.
    var withoutFile: PlannedInstance {
        var planned = self
        planned.library = library?.withoutFile
        return planned
    }

    /// The same for an instance that is made, of whose entry nothing is to be found in the file any more.
    package var withoutSources: PlannedInstance {
        var planned = withoutFile
        planned.entry.place = nil
        // The text that all uses of the library share.
        if let library, entry.library == library.fileName { planned.entry.library = library.fileName }
        return planned
    }

    /// The same behind another gate.
    package func behind(_ gate: GateConfiguration) -> PlannedInstance {
        var planned = self
        planned.entry.gate = gate
        return planned
    }

    /// The same in another place, whatever its entry and the policy say; what only a worker of an installed version can load stays in one.
    func placed(_ place: Placement) -> PlannedInstance { placed(PlannedPlacement(place)) }

    /// The same in another place, with what decided it, as far as its library can be loaded there.
    func placed(_ placement: PlannedPlacement) -> PlannedInstance {
        var planned = self
        planned.placement = placement.taken(by: match)
        return planned
    }

    /// The same in quarantine: its library is not loaded, and its slice stands. Its gate moves as before, which decides
    /// about what it misses.
    package func quarantined(because reason: String) -> PlannedInstance {
        var planned = self
        planned.quarantine = reason
        return planned
    }

    /// What is loaded, and what it says about itself; nil for a plugin that is linked in.
    package var image: (content: ImageContent, note: PluginNote)? {
        guard let file = library?.file, let verdict = library?.verdict, let note = verdict.note else {
            return nil
        }
        return (ImageContent(file, with: verdict.companions), note)
    }

    /// The id of the instance.
    package var id: String { entry.id }

    /// Where its slice is; nil for a plugin that is known to keep no state.
    package var slice: JSONPointer? { keepsState == false ? nil : entry.slice }

    /// What it hears: global names or patterns, each with the local one.
    package var heard: [(global: String, local: String)] {
        names.heard.map { ($0.global.description, $0.local.description) }
    }

    /// What it declares to emit and may emit: global names or patterns.
    package var emitted: [String] { names.emitted.map(\.description) }

    /// Whether it declares to decide about actions ahead of everybody's middlewares.
    package var intercepts: Bool { manifest.permissions.contains("intercept") }

    /// Whether actions stop, while its library is in quarantine, that it would have decided about.
    package var stopsInQuarantine: Bool { intercepts && manifest.onQuarantine == .stop }

    /// Where it is in a cluster.
    package var scope: PluginScope { manifest.scope }

    /// Why the manifest does not fit what the plugin does, nil when it does.
    ///
    /// A plugin that can stop actions must say so. One that says so and does not is refused too: who relies on it to stop
    /// something would wait in vain.
    package func objection(to exports: PluginExports) -> String? {
        switch (exports.intercepts, intercepts) {
        case (true, false):
            "it intercepts actions, but its plugin.json does not say so; add \"intercept\" to \"permissions\" there and rebuild it"
        case (false, true):
            "its plugin.json lists \"intercept\" in \"permissions\", but it has no interceptor; adopt InterceptingPlugin or remove the permission, and rebuild it"
        case (true, true), (false, false):
            nil
        }
    }

    /// How a type concerns it; nil if not at all.
    package func hearing(of type: String) -> Hearing? {
        Hearing(of: type, names: names, controls: entry.gate.controls)
    }
}

// MARK: - What is wrong with it

extension PlannedInstance {
    /// A mistake in its entry of the file, or the refusal of its library where no entry names it; `part` are the tokens of the
    /// mistake's pointer inside the entry.
    package func fault(at part: [String], _ sentence: String) -> Diagnostic {
        entry.place?.diagnostic(at: part, sentence) ?? refusal([sentence])
    }

    /// What there is to say about its entry, with its place in the file where there is one.
    func diagnostic(_ severity: Diagnostic.Severity, at part: [String], _ sentence: String) -> Diagnostic {
        entry.place?.diagnostic(severity, at: part, sentence) ?? Diagnostic(severity, instance: id, sentence)
    }

    /// What to say about a place for its state while its plugin keeps none.
    package var needlessSlice: Diagnostic {
        diagnostic(.warning, at: ["lift", "state"], "the plugin \(manifest.id) keeps no state; remove it")
    }

    /// Settings that the plugin cannot use, in the words of its schema where it has any for the place.
    package func fault(inSettings failure: CodingFailure) -> Diagnostic {
        let words = manifest.settings.map { Schema($0).words(at: failure.pointer) }
        return fault(
            at: ["settings"] + failure.pointer.tokens,
            "expected \(words?.expected ?? failure.expected), found \(failure.found)"
                + (words?.description.map { "; its description: \($0)" } ?? ""))
    }

    /// Names the library and the instance that wanted it.
    package func refusal(_ reasons: [String]) -> Diagnostic {
        Diagnostic(
            isOptional ? .warning : .error, refusing: library?.path ?? id, for: id, because: reasons)
    }
}

extension InstanceConfiguration {
    /// Where the instance's slice is.
    package var slice: JSONPointer { lift.state ?? JSONPointer(tokens: [id]) }
}

/// How one action type concerns one instance.
///
/// The one place that decides who hears what: for the routes of a running host and for those of a plan.
package struct Hearing: Equatable {
    /// The local name that the plugin hears the type by, nil when only the gate is concerned.
    package let local: String?
    /// Whether the type may move the instance's gate.
    package let isControl: Bool

    /// How a type concerns an instance with these names and types that move its gate; nil if not at all.
    package init?(of type: String, names: LiftedNames, controls: [String]) {
        local = names.local(of: type)
        isControl = controls.contains { $0.utf8.elementsEqual(type.utf8) }
        if local == nil, !isControl { return nil }
    }
}
