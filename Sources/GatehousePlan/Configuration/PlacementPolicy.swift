// SPDX-License-Identifier: Apache-2.0

package import GatehouseValue

/// Where the instances run whose entries do not say it, and discovered ones.
package struct PlacementPolicy: Equatable, Sendable {
    /// Where they run unless their libraries are listed.
    package var standard = Placement.host
    /// The image digests of libraries whose instances run in the host, in lower-case hexadecimal digits.
    package var host: [String] = []

    /// Places everything in one way, but for the instances of listed libraries.
    package init(_ standard: Placement = .host, host: [String] = []) {
        self.standard = standard
        self.host = host
    }

    /// Where an instance runs.
    ///
    /// - Parameters:
    ///   - own: what its entry says; nil for nothing.
    ///   - digest: names the bytes of its library with all that it brings from its folder, in hexadecimal; nil for a plugin that
    ///     is linked in.
    func placement(own: Placement?, digest: String?) -> PlannedPlacement {
        if let own { return PlannedPlacement(own) }
        // What is the same without any policy needs no reason.
        guard standard != .host else { return PlannedPlacement(.host) }
        if let digest, host.contains(digest) { return PlannedPlacement(.host, by: .digest) }
        return PlannedPlacement(standard, by: .standard)
    }
}

extension PlacementPolicy {
    /// The keys of the long form of `placement` at the top of the file.
    package enum Key: String, CaseIterable {
        case standard = "default"
        case host
    }

    /// Reads a word for all instances, or an object with a list of libraries; nil, with a report, for anything else.
    package static func read(_ node: LocatedNode) -> PlacementPolicy? {
        switch node.value.content {
        case .string: return Placement.read(node).map { PlacementPolicy($0) }
        case .object: break
        default:
            return node.fail(
                expected: "\"host\", \"worker\", \"worker:NAME\" or an object",
                advice: "write \"worker\" to run each instance in a process of its own")
        }
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let standard = reader.required(.standard, Placement.read)
        let host = reader.value(.host, default: [], readDigests)
        guard let standard else { return nil }
        if standard == .host, let list = reader[.host] {
            list.report(
                "the default is \"host\" already, so this changes nothing; write \"default\": \"worker\", or remove it",
                isWarning: true)
        }
        return PlacementPolicy(standard, host: host)
    }

    /// Reads digests, each of which is enough once.
    private static func readDigests(_ node: LocatedNode) -> [String]? {
        var known: Set<String> = []
        return node.list { element in
            let digest = element.digest()
            if let digest, !known.insert(digest).inserted {
                element.report("\(digest) is listed twice; remove one of them", isWarning: true)
            }
            return digest
        }
    }
}
