// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

extension HostConfiguration {
    /// The keys of the whole file. `$schema` is for editors; any value of it is ignored.
    enum Key: String, CaseIterable {
        case schema = "$schema"
        case directory, discovery, state, ingress, maximumChain, plugins
    }

    /// Reads the whole file; nil, with a report, if it is no object.
    static func read(_ node: ConfigurationNode) -> HostConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let defaults = HostConfiguration()
        return HostConfiguration(
            directory: reader.value(.directory, default: defaults.directory) { $0.folder() },
            discovery: reader.value(.discovery, default: defaults.discovery) { $0.choice() },
            state: reader.value(.state, default: defaults.state, readState),
            ingress: reader.value(.ingress, default: defaults.ingress, IngressConfiguration.read),
            maximumChain: reader.value(.maximumChain, default: defaults.maximumChain) {
                $0.integer(in: maximumChainRange)
            },
            instances: reader.value(.plugins, default: [], readInstances),
            place: ConfigurationPlace(of: node.value, at: node.pointer, in: node.log.file))
    }

    /// Reads the initial state, which must leave the host's slice alone.
    private static func readState(_ node: ConfigurationNode) -> Value? {
        guard let state = node.object() else { return nil }
        if case .object(let members) = node.value.content,
            let member = members.first(where: { $0.key == ReservedNames.identifier })
        {
            node.log.report(
                .reservedSlice(ReservedNames.slice), at: member.keyPosition,
                pointer: node.pointer.appending(member.key))
        }
        return state
    }

    /// Reads the entries and compares them with each other; those without a usable id are left out.
    private static func readInstances(_ node: ConfigurationNode) -> [InstanceConfiguration]? {
        guard let elements = node.elements(expected: .entries) else { return nil }
        var rules = InstanceRules(log: node.log)
        return elements.compactMap { element in
            guard let instance = InstanceConfiguration.read(element) else { return nil }
            rules.check(
                instance,
                at: ConfigurationPlace(of: element.value, at: element.pointer, in: node.log.file))
            return instance
        }
    }
}
