// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
package import GatehouseValue

/// The rights that an instance has in a worker, beyond those that every worker has.
package struct GrantConfiguration: Equatable, Sendable {
    /// Folders below which it may change files, as whole paths.
    package var files: [String] = []
    /// Files, and folders below which it may read them, as whole paths.
    package var read: [String] = []
    /// Connections that the host makes for it, and sockets at which the host lets it listen.
    package var network: [NetworkGrant] = []

    /// Grants folders, files and what the host does with the network, or nothing.
    package init(files: [String] = [], read: [String] = [], network: [NetworkGrant] = []) {
        (self.files, self.read, self.network) = (files, read, network)
    }

    /// The connections.
    package var connections: [ConnectionGrant] {
        network.compactMap { if case .connection(let grant) = $0 { grant } else { nil } }
    }
    /// The sockets.
    package var listeners: [ListeningGrant] {
        network.compactMap { if case .listener(let grant) = $0 { grant } else { nil } }
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
        reader.set(&grant.network, to: .network) { $0.list { $0.networkGrant() } }
        return grant
    }

    /// Whether nothing is granted of what a plugin may need.
    func isEmpty(_ key: WorkerNeed.Grant.Key) -> Bool {
        switch key {
        case .files: files.isEmpty
        case .network: network.isEmpty
        }
    }

    /// The rights as JSON.
    package var value: Value {
        [
            "files": .array(files.map(Value.string)), "read": .array(read.map(Value.string)),
            "network": .array(network.map { .string($0.text) }),
        ]
    }
}
