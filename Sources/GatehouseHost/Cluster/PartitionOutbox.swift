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
    /// What the instances hear and emit, by their ids.
    private let names: [String: LiftedNames]
    /// Of types emitted so far, by place, whether the instance that did so last hears them itself.
    private var own: [Int: (type: ActionType, instance: String, isOwn: Bool)] = [:]
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

    /// Whether the instance that emitted an action hears it itself.
    private func isOwn(_ output: DispatchedAction<AnyAction>) -> Bool {
        guard let instance = output.dispatcher.instance, let names = names[instance] else { return false }
        let type = output.action.type
        if let known = own[type.place], known.type == type, known.instance == instance { return known.isOwn }
        let isOwn = names.isOwn(type.name)
        own[type.place] = (type, instance, isOwn)
        return isOwn
    }

    /// Hands over what waits.
    func take() -> [ClusterCheckpoint.Output] {
        defer { outputs = [] }
        return outputs
    }
}
