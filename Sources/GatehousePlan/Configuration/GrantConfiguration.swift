// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseValue

/// The rights that an instance has in a worker, beyond those that every worker has.
package struct GrantConfiguration: Equatable, Sendable {
    /// Folders below which it may change files, as whole paths.
    package var files: [String] = []
    /// Files, and folders below which it may read them, as whole paths.
    package var read: [String] = []
    /// Connections that the host makes for it.
    package var network: [ConnectionGrant] = []

    /// Grants folders, files and connections, or nothing.
    package init(files: [String] = [], read: [String] = [], network: [ConnectionGrant] = []) {
        (self.files, self.read, self.network) = (files, read, network)
    }
}

extension GrantConfiguration {
    /// The keys of `grant`.
    package enum Key: String, CaseIterable {
        case files, read, network
    }

    /// Reads an object of rights; nil, with a report, for anything else.
    package static func read(_ node: LocatedNode) -> GrantConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        var grant = GrantConfiguration()
        reader.set(&grant.files, to: .files) { $0.list { $0.wholePath() } }
        reader.set(&grant.read, to: .read) { $0.list { $0.wholePath() } }
        reader.set(&grant.network, to: .network) { $0.list { $0.connection() } }
        return grant
    }

    /// Whether nothing is granted under a key.
    func isEmpty(_ key: String) -> Bool { value[key]?.arrayValue?.isEmpty != false }

    /// The rights as JSON.
    package var value: Value {
        [
            "files": .array(files.map(Value.string)), "read": .array(read.map(Value.string)),
            "network": .array(network.map { .string($0.text) }),
        ]
    }
}
