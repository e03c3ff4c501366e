// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// One entry of the configuration: which plugin, with which settings, fitted in how, behind which gate.
package struct InstanceConfiguration: Equatable, Sendable {
    /// The instance's name, unique in the file: lower-case ASCII letters, digits and `-`, a letter first.
    package var id: String
    /// The id that it had before, whose state it takes over; nil for none.
    package var was: String?
    /// The library's file name inside the plugin folder; nil means the library that declares the plugin `id`.
    package var library: String?
    /// The only accepted bytes of the library, and of what it brings along; nil for any.
    package var sha256: PinnedDigests?
    /// Whether the rest runs when this instance's library is missing or refused.
    var isOptional = false
    /// What the plugin is given as settings; always an object, checked later against the plugin's schema.
    package var settings: Value = .object(Members())
    /// How the instance's types fit the host's.
    package var lift = LiftConfiguration.standard
    /// What decides whether the instance takes part.
    package var gate = GateConfiguration.active
    /// What becomes of running effects when the gate closes.
    package var onClose = GateConfiguration.OnClose.cancel
    /// What the instance may emit after lifting; nil means what its manifest declares.
    package var allow: [TypePattern]?
    /// Where the instance runs, whatever the policy says; nil for what that says.
    package var placement: Placement?
    /// What it may do in a worker that workers may not.
    package var grant = GrantConfiguration()
    /// What is kept of actions that it stops, or that its gate keeps from it; nil for nothing.
    package var keep: KeepConfiguration?
    /// Where the entry and its parts stand in the file; nil for a discovered library. Never makes entries
    /// differ.
    @Incidental package var place: ConfigurationPlace? = nil

    /// The beginning of the entry in the file; nil for a discovered library.
    package var position: TextPosition? { place?.position(of: .whole) }
}

extension InstanceConfiguration {
    /// An entry that says nothing else.
    package init(id: String, settings: Value, lift: LiftConfiguration = .standard) {
        self.init(id: id, was: nil, settings: settings, lift: lift)
    }

    /// The keys of one entry of `plugins`.
    package enum Key: String, CaseIterable {
        case id, was, library, sha256
        case isOptional = "optional"
        case settings, lift, gate, allow, placement, grant, keep
    }

    /// Reads one entry; nil, with a report, if it is no object or has no usable id.
    static func read(_ node: LocatedNode) -> InstanceConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let id = reader.required(.id) { $0.identifier() }
        let gate = reader[.gate].flatMap(GateConfiguration.read)
        let settings = reader[.settings]?.plainObject()
        let instance = InstanceConfiguration(
            id: id ?? "",
            was: reader[.was]?.identifier(),
            library: reader[.library]?.fileName(),
            sha256: reader[.sha256].flatMap(PinnedDigests.read),
            isOptional: reader.value(.isOptional, default: false) { $0.bool() },
            settings: settings ?? .object(Members()),
            lift: reader.value(.lift, default: .standard, LiftConfiguration.read),
            gate: gate?.gate ?? .active,
            onClose: gate?.onClose ?? .cancel,
            allow: reader[.allow].flatMap(readAllowed),
            placement: reader[.placement].flatMap(Placement.read),
            grant: reader.value(.grant, default: GrantConfiguration(), GrantConfiguration.read),
            keep: reader[.keep].flatMap(KeepConfiguration.read),
            place: ConfigurationPlace(of: node))
        return id == nil ? nil : instance
    }

    /// Reads what the instance may emit.
    ///
    /// Warns of an open pattern such as `host*`, which grants no host action; `*` alone means the rest.
    private static func readAllowed(_ node: LocatedNode) -> [TypePattern]? {
        node.list { element in
            guard let pattern = element.pattern() else { return nil }
            if pattern.isOpen, !pattern.isForHost, !pattern.stem.isEmpty,
                ReservedNames.typePrefix.hasPrefix(pattern.stem)
            {
                element.report(
                    "\(Quotation.of("\(pattern)")) does not cover the types below \"host/\"; add \"host/*\" if they are meant",
                    isWarning: true)
            }
            return pattern
        }
    }
}
