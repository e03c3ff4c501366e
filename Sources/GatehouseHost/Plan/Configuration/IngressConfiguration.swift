// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
internal import GatehouseValue

/// What input lines may carry, and how long they may be.
public struct IngressConfiguration: Equatable, Sendable {
    /// The host actions that an input line may carry, all below `host/`. Other types need no permission.
    public var allow: [TypePattern]
    /// The longest accepted line in bytes, without its line feed, 1 KiB…1 GiB.
    public var maximumLineBytes: Int

    /// The range that `maximumLineBytes` may have, in bytes.
    public static let maximumLineBytesRange = 1_024...1_073_741_824

    /// Limits of the ingress; by default no host actions and 16 MiB a line.
    public init(allow: [TypePattern] = [], maximumLineBytes: Int = 16_777_216) {
        self.allow = allow
        self.maximumLineBytes = maximumLineBytes
    }
}

extension IngressConfiguration {
    /// The keys of `ingress`.
    enum Key: String, CaseIterable {
        case allow, maximumLineBytes
    }

    /// Reads the value of `ingress`; nil, with a report, if it is no object.
    static func read(_ node: LocatedNode) -> IngressConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let defaults = IngressConfiguration()
        return IngressConfiguration(
            allow: reader.value(.allow, default: defaults.allow, readHostPatterns),
            maximumLineBytes: reader.value(.maximumLineBytes, default: defaults.maximumLineBytes) {
                $0.integer(in: maximumLineBytesRange)
            })
    }

    /// Reads patterns of which each must spell out `host/`.
    private static func readHostPatterns(_ node: LocatedNode) -> [TypePattern]? {
        node.list { element in
            guard let pattern = element.pattern() else { return nil }
            guard pattern.isForHost else {
                return element.fail(
                    expected: "a type or pattern below \"host/\"",
                    advice: "remove it, other types need no permission")
            }
            return pattern
        }
    }
}
