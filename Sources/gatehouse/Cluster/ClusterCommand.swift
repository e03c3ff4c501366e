// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseControl
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse cluster`: talks to the engine of a cluster, whether or not a member runs.
struct ClusterCommand {
    /// How long to wait for an answer.
    private static let patience = Duration.seconds(5)

    /// The parsed command line.
    let options: ClusterOptions

    /// Sends the request, prints the answer, and returns the exit code.
    func run() -> ExitCode {
        let file = ConfigurationFile(path: options.config, plugins: nil)
        guard let outcome = file.read() else { return .configuration }
        guard let configuration = outcome.readable else {
            outcome.diagnostics.write()
            return .configuration
        }
        guard let cluster = configuration.cluster, let access = cluster.access(from: file.folder) else {
            guard !outcome.diagnostics.isFailure else {
                outcome.diagnostics.write()
                return .configuration
            }
            StandardError.writeLine("gatehouse: \(options.config) names no cluster; add \"cluster\"")
            return .configuration
        }
        do throws(ClusterFailure) {
            let maintainer = try RedisMaintainer(access, name: cluster.name, patience: Self.patience)
            guard let shape = try maintainer.shape() else {
                StandardError.writeLine(
                    "gatehouse: there is no cluster \(cluster.name) at \(cluster.engine); it is created when the first member joins"
                )
                return .unavailable
            }
            switch options.request {
            case .status:
                show(try maintainer.engine(of: shape).survey().value(of: cluster.name)) {
                    ClusterText.text($0)
                }
            case .deadLetters(let limit, let shown):
                return showLetters(try letters(maintainer, shape), limit, shown)
            case .redispatch(let names):
                let keys = ClusterKeys(cluster, partitions: shape.partitions)
                return try each(names, try letters(maintainer, shape)) { letter throws(ClusterFailure) in
                    let partition =
                        keys.partition(ofWritten: letter.action) ?? letter.partition % shape.partitions
                    return try maintainer.redispatch(letter, to: partition, in: shape)
                        ? "appended to partition \(partition)" : nil
                }
            case .remove(let names):
                return try each(names, try letters(maintainer, shape)) { letter throws(ClusterFailure) in
                    try maintainer.remove(letter) ? "removed" : nil
                }
            case .resize(let count, let discarded, let isDry):
                return try ResizeCommand(
                    file: file, cluster: cluster, maintainer: maintainer, shape: shape, count: count,
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
        if options.isJSON { Results.write(answer, .pretty) } else { Results.write(text(answer)) }
    }

    // MARK: - Dead letters

    /// Returns all dead letters, oldest first.
    private func letters(_ maintainer: RedisMaintainer, _ shape: ClusterShape) throws(ClusterFailure)
        -> [ClusterDeadLetter]
    {
        // A letter that was written twice because the answer was lost counts once.
        var seen: Set<DeadLetterName> = []
        return try maintainer.engine(of: shape).deadLetters(atMost: .max).filter {
            seen.insert(DeadLetterName(of: $0)).inserted
        }
    }

    /// Prints the newest dead letters, or one of them with its action.
    private func showLetters(_ letters: [ClusterDeadLetter], _ limit: Int, _ shown: DeadLetterName?)
        -> ExitCode
    {
        guard let shown else {
            let newest = Array(letters.suffix(limit))
            show(ClusterLetterText.value(newest, of: letters.count)) { _ in
                ClusterLetterText.list(newest, of: letters.count)
            }
            return .success
        }
        guard let letter = letters.first(where: { DeadLetterName(of: $0) == shown }) else {
            StandardError.writeLine("gatehouse: \(Self.unknown(shown))")
            return .usage
        }
        show(ClusterLetterText.value([letter], of: letters.count)) { _ in ClusterLetterText.whole(letter) }
        return .success
    }

    /// Applies `body` to each of some letters and prints the results; reports those that do not exist.
    ///
    /// - Parameter body: returns the result for the letter; nil when another client was faster.
    private func each(
        _ names: [DeadLetterName], _ letters: [ClusterDeadLetter],
        _ body: (ClusterDeadLetter) throws(ClusterFailure) -> String?
    ) throws(ClusterFailure) -> ExitCode {
        let known = Dictionary(uniqueKeysWithValues: letters.map { (DeadLetterName(of: $0), $0) })
        var results: [(name: DeadLetterName, became: String)] = []
        var isComplete = true
        for name in names {
            if let letter = known[name], let became = try body(letter) {
                results.append((name, became))
            } else {
                StandardError.writeLine("gatehouse: \(Self.unknown(name))")
                isComplete = false
            }
        }
        let values = results.map {
            Value.object(["name": .string("\($0.name)"), "became": .string($0.became)])
        }
        show(["results": .array(values)]) { _ in results.map { "\($0.name): \($0.became)\n" }.joined() }
        return isComplete ? .success : .usage
    }

    /// The message about a letter that does not exist.
    private static func unknown(_ name: DeadLetterName) -> String {
        "there is no dead letter \(name); see gatehouse cluster dead-letters"
    }
}
