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
    /// Says which outputs are for others.
    private var places: OutputPlaces
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
        places = OutputPlaces(of: partition, by: keys, emittedBy: instances)
        self.urgency = urgency
        self.report = report
    }

    func take(_ output: DispatchedAction<AnyAction>) -> Bool {
        guard let place = places.elsewhere(output) else { return false }
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

    /// Takes the waiting outputs.
    func take() -> [ClusterCheckpoint.Output] {
        defer { outputs = [] }
        return outputs
    }
}
