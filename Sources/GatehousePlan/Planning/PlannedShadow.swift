// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue

/// A shadow, and what becomes of it.
package struct PlannedShadow: Sendable {
    /// The entry of the configuration.
    package let configuration: ShadowConfiguration
    /// What would become of the entry of its instance with the shadow in its place.
    package private(set) var outcome: HostPlan.Outcome

    /// Takes note of what becomes of a shadow.
    init(_ configuration: ShadowConfiguration, _ outcome: HostPlan.Outcome) {
        self.configuration = configuration
        self.outcome = outcome
    }

    /// Its instance with the shadow in its place; nil where its library is missing or refused, which was told.
    package var planned: PlannedInstance? {
        if case .accepted(let planned) = outcome { planned } else { nil }
    }

    /// Which library it has, or why it has none, in one clause.
    package var libraryText: String {
        switch outcome {
        case .accepted(let planned):
            "\(planned.library?.fileName ?? planned.manifest.id) (\(planned.manifest.id) \(planned.manifest.version))"
        case .refused(let refusal): "refused: \(refusal.sentences.joined(separator: "; "))"
        case .missing(let reason): reason
        }
    }

    /// The shadow for programs.
    var json: Value {
        var members: Members = ["id": .string(configuration.id), "of": .string(configuration.instance)]
        switch outcome {
        case .accepted(let planned):
            members["library"] = planned.library.map { .string($0.path) }
            members["digest"] = planned.digest.map { .string($0.hex) }
        case .refused(let refusal): members["refused"] = .array(refusal.sentences.map(Value.string))
        case .missing(let reason): members["missing"] = .string(reason)
        }
        return .object(members)
    }

    /// The same when the bytes of its library are needed no longer.
    var withoutFile: PlannedShadow {
        var shadow = self
        if let planned { shadow.outcome = .accepted(planned.withoutFile) }
        return shadow
    }

    /// Whether another shadow is of the same instance, and made of the same bytes and settings.
    func isSame(as other: PlannedShadow) -> Bool {
        configuration.instance == other.configuration.instance && planned?.digest == other.planned?.digest
            && planned?.entry.settings == other.planned?.entry.settings
    }

    /// What must be the same for a comparison to go on: what is compared, and with what; nil where nothing is.
    ///
    /// - Parameter plan: the plan with the shadow and its instance.
    package func subject(in plan: HostPlan) -> Subject? {
        guard let planned, let instance = plan.instances.first(where: { $0.id == configuration.instance })
        else { return nil }
        return Subject(
            shadow: [planned.digest?.hex ?? "", planned.entry.settings.json()],
            instance: [instance.digest?.hex ?? "", instance.entry.settings.json()])
    }

    /// What is compared with what: the digests of both libraries, and both settings.
    package struct Subject: Equatable, Sendable {
        /// What the shadow is made of.
        let shadow: [String]
        /// What the instance is made of.
        let instance: [String]
    }
}

extension HostPlan {
    /// The same plan with a shadow in the place of its instance, and no other; nil where there is none with this id that can run.
    package func shadowed(by id: String) -> HostPlan? {
        guard let shadow = shadows.first(where: { $0.configuration.id == id }), let planned = shadow.planned
        else { return nil }
        return replacing(planned)
    }
}
