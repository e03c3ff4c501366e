// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// Actions that a partition's instances emit for other partitions, held until the checkpoint writes them there.
///
/// `@unchecked Sendable`: touched in the drain of the partition's host only.
final class PartitionOutbox: OutputRoute, @unchecked Sendable {
    /// The partition's number.
    private let partition: Int
    /// The epoch under which it is owned.
    private let epoch: Int
    /// Determines the partition of each action.
    private var keys: ActionKeys
    /// The action names of the instances, by id.
    private let names: [String: LiftedNames]
    /// For types emitted so far, by place, whether the instance that emitted it last hears it itself.
    private var own: [Int: (type: ActionType, instance: String, isOwn: Bool)] = [:]
    /// Raised when an output waits.
    private let urgency: PartitionUrgency
    /// Reports unwritable actions.
    private let report: @Sendable (ClusterNotice) -> Void
    /// The number of the last output.
    private var sequence: UInt64 = 0
    /// The outputs, in order of emission.
    private var outputs: [ClusterCheckpoint.Output] = []

    /// Creates an empty outbox.
    init(
        of partition: Int, epoch: Int, by keys: ActionKeys, emittedBy instances: [PlannedInstance],
        _ urgency: PartitionUrgency, report: @escaping @Sendable (ClusterNotice) -> Void
    ) {
        self.partition = partition
        self.epoch = epoch
        self.keys = keys
        names = Dictionary(instances.map { ($0.id, $0.names) }) { first, _ in first }
        self.urgency = urgency
        self.report = report
    }

    func take(_ output: DispatchedAction<AnyAction>) -> Bool {
        let place = keys.partition(of: output.action, emittedIn: partition, isOwn: isOwn(output))
        guard let place, place != partition else { return false }
        var bytes: [UInt8] = []
        do {
            try output.action.writeWireForm(to: &bytes)
        } catch {
            report(.unwritable(type: output.action.type.name, "\(error)"))
            return true
        }
        sequence += 1
        outputs.append(
            ClusterCheckpoint.Output(
                partition: place,
                origin: ClusterOrigin(source: String(partition), epoch: epoch, sequence: sequence),
                action: bytes))
        urgency.raise()
        return true
    }

    /// Whether the emitting instance hears an action itself.
    private func isOwn(_ output: DispatchedAction<AnyAction>) -> Bool {
        guard let instance = output.dispatcher.instance, let names = names[instance] else { return false }
        let type = output.action.type
        if let known = own[type.place], known.type == type, known.instance == instance { return known.isOwn }
        let isOwn = names.isOwn(type.name)
        own[type.place] = (type, instance, isOwn)
        return isOwn
    }

    /// Takes the waiting outputs.
    func take() -> [ClusterCheckpoint.Output] {
        defer { outputs = [] }
        return outputs
    }
}
