// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

extension ClusterCommand {
    /// `gatehouse cluster state`: prints the state that the last checkpoint of a partition has, and on standard error how old that is.
    func showState(
        of number: Int, at pointer: JSONPointer, _ cluster: ClusterConfiguration,
        _ maintainer: any ClusterMaintainer, _ shape: ClusterShape
    ) throws(ClusterFailure) -> ExitCode {
        if let objection = objection(to: number, cluster, shape) { return objection }
        let (offset, slices) = try maintainer.checkpoint(of: number)
        let partition = try maintainer.engine(of: shape).survey().partitions[number]
        let kept: KeptPartition?
        do throws(CodingFailure) {
            kept = try KeptPartition(slices)
        } catch {
            return .badData.because(
                "partition \(number): \(error); use the version that wrote it")
        }
        guard let kept else {
            return .badData.because("partition \(number) has no checkpoint yet, and so no state")
        }
        guard let value = kept.state[pointer] else {
            return .badData.because("the state of partition \(number) has nothing at \(pointer)")
        }
        guard !options.isJSON else {
            Results.write(
                [
                    "partition": Value(number), "offset": .string("\(offset)"),
                    "owner": partition.title.owner.map(Value.string) ?? .null, "lag": Value(partition.lag),
                    "state": value, "held": Value(kept.held),
                    "effects": .array(
                        kept.effects.map { ["instance": .string($0.instance), "key": .string($0.key)] }),
                ], .pretty)
            return .success
        }
        let age = partition.checkpointAge.map { " \($0.inSeconds) ago" } ?? ""
        StandardError.tell(
            "partition \(number) as its last checkpoint has it, written\(age); \(Counted.text(partition.lag, "action")) behind"
        )
        for (instance, effects) in Dictionary(grouping: kept.effects, by: \.instance).sorted(by: {
            $0.key < $1.key
        }) {
            StandardError.tell(
                "\(instance): \(Counted.text(effects.count, "effect")) under way")
        }
        if kept.held > 0 {
            StandardError.tell("\(Counted.text(kept.held, "action")) held back by interceptors")
        }
        Results.write(value, .pretty)
        return .success
    }

    /// Says that there is no partition of a number; nil where there is.
    func objection(to number: Int, _ cluster: ClusterConfiguration, _ shape: ClusterShape) -> ExitCode? {
        guard number >= shape.partitions else { return nil }
        return .usage.because(
            "there is no partition \(number); the cluster \(cluster.name) has \(Counted.text(shape.partitions, "partition")), from 0 to \(shape.partitions - 1)"
        )
    }
}
