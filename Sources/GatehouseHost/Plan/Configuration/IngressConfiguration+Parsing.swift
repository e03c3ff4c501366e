// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue

extension IngressConfiguration {
    /// The keys of `ingress`.
    enum Key: String, CaseIterable {
        case allow, maximumLineBytes
    }

    /// Reads the value of `ingress`; nil, with a report, if it is no object.
    static func read(_ node: ConfigurationNode) -> IngressConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let defaults = IngressConfiguration()
        return IngressConfiguration(
            allow: reader.value(.allow, default: defaults.allow, readHostPatterns),
            maximumLineBytes: reader.value(.maximumLineBytes, default: defaults.maximumLineBytes) {
                $0.integer(in: maximumLineBytesRange)
            })
    }

    /// Reads patterns of which each must spell out `host/`.
    private static func readHostPatterns(_ node: ConfigurationNode) -> [TypePattern]? {
        node.elements(expected: .names)?.compactMap { element in
            guard let pattern = element.pattern() else { return nil }
            guard pattern.isForHost else { return element.fail(.patternNotForHost(pattern.description)) }
            return pattern
        }
    }
}
