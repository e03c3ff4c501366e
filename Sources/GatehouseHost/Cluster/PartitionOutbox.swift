// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK

/// What the instances of a partition emit for other partitions; it waits for the checkpoint, which writes it there.
///
/// `@unchecked Sendable`: touched in the drain of the partition's host only.
final class PartitionOutbox: OutputRoute, @unchecked Sendable {
    /// The partition.
    private let partition: Int
    /// The epoch under which it is owned.
    private let epoch: Int
    /// Knows where each action belongs.
    private var keys: ActionKeys
    /// Raised when something waits.
    private let urgency: PartitionUrgency
    /// Takes what cannot be written.
    private let report: @Sendable (ClusterNotice) -> Void
    /// The number of the last output.
    private var sequence: UInt64 = 0
    /// In the order in which they were emitted.
    private var outputs: [ClusterCheckpoint.Output] = []

    /// Nothing emitted.
    init(
        of partition: Int, epoch: Int, by keys: ActionKeys, _ urgency: PartitionUrgency,
        report: @escaping @Sendable (ClusterNotice) -> Void
    ) {
        self.partition = partition
        self.epoch = epoch
        self.keys = keys
        self.urgency = urgency
        self.report = report
    }

    func take(_ output: DispatchedAction<AnyAction>) -> Bool {
        guard let place = keys.partition(of: output.action), place != partition else { return false }
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

    /// Hands over what waits.
    func take() -> [ClusterCheckpoint.Output] {
        defer { outputs = [] }
        return outputs
    }
}
