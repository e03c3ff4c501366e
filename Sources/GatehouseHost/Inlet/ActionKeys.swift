// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseManifest
internal import GatehouseSDK

/// Which key an action has, and so to which partition it belongs; all members of a cluster compute the same.
///
/// Used by one thread at a time: it keeps what it finds out about a type, as a `RouteTable` does.
struct ActionKeys {
    /// What a type was found to have.
    private struct Found {
        /// The type, since numbers of forgotten ones are given again.
        let type: ActionType
        /// Where the key is in the payload; nil when the type is the key.
        let place: JSONPointer?
        /// The partition of an action that has nothing there; nil for what is said to a host, and belongs to none.
        let partition: Int?
        /// Whether a pattern of more than `*` says where the key is.
        let isNamed: Bool
    }

    /// Where keys are.
    private let configuration: ClusterConfiguration
    /// What was found, by the places of the types.
    private var found: [Found?] = []

    /// The keys of a cluster.
    init(_ configuration: ClusterConfiguration) { self.configuration = configuration }

    /// The partition of an action, from 0 and below the number of partitions; nil for what is said to a host.
    ///
    /// Allocates nothing for a text of up to 15 bytes in a payload that arrived on a line, except for the first action of each type.
    mutating func partition(of action: AnyAction) -> Int? {
        let found = found(for: action.type)
        guard configuration.partitions > 1, let place = found.place, found.partition != nil,
            let key = action.key(at: place)
        else { return found.partition }
        return PartitionHash.partition(of: key, in: configuration.partitions)
    }

    /// The partition of an action that an instance has emitted in a partition; nil for what is said to a host.
    ///
    /// What an instance says to itself, such as that a time is up, is about the state that it has there: such an action stays, unless
    /// a pattern of more than `*` gives it a key.
    ///
    /// - Parameter isOwn: whether the instance hears it itself, see `LiftedNames.isOwn`.
    mutating func partition(of action: AnyAction, emittedIn partition: Int, isOwn: Bool) -> Int? {
        let found = found(for: action.type)
        guard isOwn, found.partition != nil else { return self.partition(of: action) }
        guard found.isNamed, let place = found.place, action.payload(at: place) != nil else {
            return partition
        }
        return self.partition(of: action)
    }

    /// The key of an action, by which those that must stay in order are told from others; to be shown to people.
    mutating func key(of action: AnyAction) -> String {
        found(for: action.type).place.flatMap(action.key(at:)) ?? action.type.name
    }

    /// What a type has. Constant time, except for the first action of each type.
    private mutating func found(for type: ActionType) -> Found {
        let place = type.place
        if place < found.count, let known = found[place], known.type == type { return known }
        return meet(type)
    }

    /// Looks at a type that is seen first, or seen first again after it was forgotten.
    @inline(never)
    private mutating func meet(_ type: ActionType) -> Found {
        let name = type.name
        let key = configuration.keyPlace(for: name)
        let met = Found(
            type: type, place: key?.place,
            partition: ReservedNames.isForHost(name)
                ? nil : PartitionHash.partition(of: name, in: configuration.partitions),
            isNamed: key.map { $0.types != .everything } ?? false)
        if type.place >= found.count {
            found += repeatElement(nil, count: type.place + 1 - found.count)
        }
        found[type.place] = met
        return met
    }
}
