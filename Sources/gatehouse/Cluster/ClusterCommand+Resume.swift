// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

extension ClusterCommand {
    /// `gatehouse cluster resume`: lists what members miss in a halted cluster, and lets them continue without it.
    func resume(
        _ cluster: ClusterConfiguration, _ maintainer: any ClusterMaintainer, _ shape: ClusterShape
    ) throws(ClusterFailure) -> ExitCode {
        guard let halted = shape.halted else {
            StandardError.tell("the cluster \(cluster.name) is not halted")
            return .success
        }
        let isDry = options.has("--dry-run")
        let missing = try maintainer.missing()
        if !isDry { try maintainer.resume(shape) }
        let end =
            isDry
            ? "members would join again and continue without that"
            : "members may join again, and continue without that"
        let lines =
            ["cluster \(cluster.name): was halted, as found by \(halted)"]
            + missing.map { "  \($0.member): \($0.what)" } + ["cluster \(cluster.name): \(end)"]
        Results.write(
            [
                "halted": .string(halted), "done": .bool(!isDry),
                "missing": .array(
                    missing.map { ["member": .string($0.member), "what": .string($0.what)] }),
            ], or: lines.map { Quotation.bare($0) + "\n" }.joined(), isJSON: options.isJSON)
        return .success
    }

    /// Reports that a cluster is halted; the exit code of a request that must wait for that, nil for any other.
    func objection(to request: Request, _ cluster: ClusterConfiguration, _ shape: ClusterShape) -> ExitCode? {
        guard let halted = shape.halted, request != .resume else { return nil }
        StandardError.tell(
            "the cluster \(cluster.name) is halted, as found by \(halted); gatehouse cluster resume --dry-run lists what is missing, and gatehouse cluster resume continues without it"
        )
        return [.status, .where, .state, .deadLetters].contains(request) ? nil : .clusterHalted
    }
}
