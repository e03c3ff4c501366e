// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK

/// Determines the key of an action, and so its partition; all members of a cluster compute the same.
///
/// Used by one thread at a time: it caches what it knows about a type, as a `RouteTable` does.
package struct ActionKeys {
    /// What is known about a type.
    private struct Found {
        /// The place of the key in the payload; nil when the type is the key.
        let place: JSONPointer?
        /// The hash of the type, for an action without a key in that place; nil for actions to a host, which belong to no partition.
        let hash: UInt64?
        /// Whether a pattern of more than `*` gives the place of the key.
        let isNamed: Bool
    }

    /// The configuration of the keys.
    private var configuration: ClusterConfiguration
    /// What is known of the types.
    private var found = TypeTable<Found>()

    /// Creates the keys of a cluster.
    package init(_ configuration: ClusterConfiguration) { self.configuration = configuration }

    /// Creates the keys of a cluster that has another number of partitions than the configuration says.
    package init(_ configuration: ClusterConfiguration, partitions: Int) {
        self.configuration = configuration
        self.configuration.partitions = partitions
    }

    /// Returns the partition of an action, from 0 and below the number of partitions; nil for an action to a host.
    ///
    /// Allocates nothing for a text of up to 15 bytes in a payload that arrived on a line, except for the first action of each type.
    package mutating func partition(of action: AnyAction) -> Int? {
        if configuration.partitions == 1 { return found(for: action.type).hash == nil ? nil : 0 }
        return hash(of: action).map { PartitionHash.partition(of: $0, in: configuration.partitions) }
    }

    /// Returns the hash of an action's key, which says its partition among any number of them; nil for an action to a host.
    package mutating func hash(of action: AnyAction) -> UInt64? {
        let found = found(for: action.type)
        guard let place = found.place, found.hash != nil, let key = action.key(at: place) else {
            return found.hash
        }
        return PartitionHash.hash(key.utf8)
    }

    /// Returns the partition of an action that an instance has emitted in a partition; nil for an action to a host.
    ///
    /// An instance's actions to itself, such as that a time is up, are about its state in that partition: they stay, unless a pattern
    /// of more than `*` gives them a key.
    ///
    /// - Parameter isOwn: whether the instance hears it itself, see `LiftedNames.isOwn`.
    package mutating func partition(of action: AnyAction, emittedIn partition: Int, isOwn: Bool) -> Int? {
        let found = found(for: action.type)
        guard isOwn, found.hash != nil else { return self.partition(of: action) }
        guard found.isNamed, let place = found.place, action.payload(at: place) != nil else {
            return partition
        }
        return self.partition(of: action)
    }

    /// Returns the key of an action for people; actions with the same key must stay in order.
    package mutating func key(of action: AnyAction) -> String {
        found(for: action.type).place.flatMap(action.key(at:)) ?? action.type.name
    }

    /// Returns what is known about a type; constant time, except for the first action of each type.
    private mutating func found(for type: ActionType) -> Found {
        if let known = found[type] { return known }
        let name = type.name
        let key = configuration.keyPlace(for: name)
        let met = Found(
            place: key?.place,
            hash: ReservedNames.isForHost(name) ? nil : PartitionHash.hash(name.utf8),
            isNamed: key.map { $0.types != .everything } ?? false)
        found[type] = met
        return met
    }
}

/// Determines the partitions of recorded actions; for commands that run beside a cluster.
package final class ClusterKeys {
    /// Determines the keys.
    private var keys: ActionKeys
    /// Parses actions.
    private var lines = RecordedLines()

    /// Creates the keys of a cluster with a number of partitions.
    package init(_ cluster: ClusterConfiguration, partitions: Int) {
        keys = ActionKeys(cluster, partitions: partitions)
    }

    /// Returns the key of an action in wire form; nil for anything else.
    package func key(ofWritten action: [UInt8]) -> String? {
        lines.action(action).map { keys.key(of: $0) }
    }

    /// Returns the partition of an action in wire form; nil for anything else, and for an action to a host.
    package func partition(ofWritten action: [UInt8]) -> Int? {
        lines.action(action).flatMap { keys.partition(of: $0) }
    }
}
