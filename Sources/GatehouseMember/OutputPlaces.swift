// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// Says which outputs of a partition's instances are for other partitions.
///
/// Used by one thread at a time: it caches what it knows about a type.
struct OutputPlaces {
    /// The partition's number.
    private let partition: Int
    /// Determines the partition of each action.
    private var keys: ActionKeys
    /// The action names of the instances, by id.
    private let names: [String: LiftedNames]
    /// For types emitted so far, by place, whether the instance that emitted it last hears it itself.
    private var own: [Int: (type: ActionType, instance: String, isOwn: Bool)] = [:]

    /// Creates the places for the outputs of the instances of a partition.
    init(of partition: Int, by keys: ActionKeys, emittedBy instances: [PlannedInstance]) {
        self.partition = partition
        self.keys = keys
        names = Dictionary(instances.map { ($0.id, $0.names) }) { first, _ in first }
    }

    /// Returns the other partition that an output is for; nil for one that stays, or is for a host.
    mutating func elsewhere(_ output: DispatchedAction<AnyAction>) -> Int? {
        let place = keys.partition(of: output.action, emittedIn: partition, isOwn: isOwn(output))
        return place == partition ? nil : place
    }

    /// Whether the emitting instance hears an action itself.
    private mutating func isOwn(_ output: DispatchedAction<AnyAction>) -> Bool {
        guard let instance = output.dispatcher.instance, let names = names[instance] else { return false }
        let type = output.action.type
        if let known = own[type.place], known.type == type, known.instance == instance { return known.isOwn }
        let isOwn = names.isOwn(type.name)
        own[type.place] = (type, instance, isOwn)
        return isOwn
    }
}
