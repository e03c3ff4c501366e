// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue

extension InstanceConfiguration {
    /// The keys of one entry of `plugins`.
    enum Key: String, CaseIterable {
        case id, library, sha256
        case isOptional = "optional"
        case settings, lift, gate, allow
    }

    /// Reads one entry; nil, with a report, if it is no object or has no usable id.
    static func read(_ node: ConfigurationNode) -> InstanceConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let id = reader.required(.id) { $0.identifier() }
        let gate = reader[.gate].flatMap(GateConfiguration.read)
        let settings = reader[.settings]?.object()
        let instance = InstanceConfiguration(
            id: id ?? "",
            library: reader[.library]?.fileName(),
            sha256: reader[.sha256]?.digest(),
            isOptional: reader.value(.isOptional, default: false) { $0.bool() },
            settings: settings ?? .object(Members()),
            lift: reader.value(.lift, default: LiftConfiguration(), LiftConfiguration.read),
            gate: gate?.gate ?? .active,
            onClose: gate?.onClose ?? .cancel,
            allow: reader[.allow].flatMap(readAllowed),
            place: ConfigurationPlace(of: node.value, at: node.pointer, in: node.log.file))
        return id == nil ? nil : instance
    }

    /// Reads what the instance may emit.
    ///
    /// Warns of an open pattern such as `host*`, which grants no host action; `*` alone means the rest.
    private static func readAllowed(_ node: ConfigurationNode) -> [TypePattern]? {
        node.elements(expected: .names)?.compactMap { element in
            guard let pattern = element.pattern() else { return nil }
            if pattern.isOpen, !pattern.isForHost, !pattern.stem.isEmpty,
                ReservedNames.typePrefix.hasPrefix(pattern.stem)
            {
                element.report(.patternLeavesOutHost(pattern.description), severity: .warning)
            }
            return pattern
        }
    }
}
