// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseHost
internal import GatehouseSDK

/// `gatehouse cluster`: speaks to the engine of a cluster, whether a member runs or not.
struct ClusterCommand {
    /// So long is an answer waited for.
    private static let patience = Duration.seconds(5)

    /// What is asked for.
    let options: ClusterOptions

    /// Asks, prints the answer, and tells how it ended.
    func run() -> ExitCode {
        let file = ConfigurationFile(path: options.config, plugins: nil)
        guard let outcome = file.read() else { return .configuration }
        guard let configuration = outcome.readable else {
            outcome.findings.write()
            return .configuration
        }
        guard let cluster = configuration.cluster, let address = cluster.address(from: file.folder) else {
            StandardError.writeLine("gatehouse: \(options.config) names no cluster; add \"cluster\"")
            return .configuration
        }
        do throws(ClusterFailure) {
            let access = try RedisClusterAccess(address, name: cluster.name, patience: Self.patience)
            guard let shape = try access.shape() else {
                StandardError.writeLine(
                    "gatehouse: there is no cluster \(cluster.name) at \(cluster.engine); the first member that joins makes it"
                )
                return .unavailable
            }
            switch options.request {
            case .status:
                let survey = try access.engine(of: shape).survey()
                show(survey.value(of: cluster.name), ClusterText.text)
            case .deadLetters(let limit, let shown): return try showLetters(access, limit, shown)
            case .redispatch(let names): return try redispatch(names, access, shape, cluster)
            case .remove(let names):
                return try each(names) { name throws(ClusterFailure) in
                    try access.remove(name.partition, name.offset) ? "removed" : nil
                }
            case .resize(let count, let discarded, let isDry):
                return ResizeCommand(
                    file: file, configuration: configuration, cluster: cluster, access: access, count: count,
                    discarded: discarded, isDry: isDry, isJSON: options.isJSON
                ).run()
            }
            return .success
        } catch {
            StandardError.writeLine("gatehouse: cluster \(cluster.name) at \(cluster.engine): \(error)")
            return .unavailable
        }
    }

    /// Prints an answer, as JSON with `--json` and as text otherwise.
    private func show(_ answer: Value, _ text: (Value) -> String) {
        if options.isJSON { print(answer.json(.pretty)) } else { print(text(answer), terminator: "") }
    }
}
