// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseControl
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse cluster`: talks to the engine of a cluster, whether or not a member runs.
struct ClusterCommand: ParsedCommand {
    /// How long to wait for an answer.
    static let patience = Duration.seconds(5)

    /// A request to the engine.
    enum Request: String, CaseIterable {
        /// List the members and their partitions.
        case status
        /// Tell the partitions of keys, and who owns them.
        case `where`
        /// Print the state of a partition as its last checkpoint has it.
        case state
        /// Compare what a configuration or a library makes of the past of a partition.
        case replay
        /// List the newest actions that the engine still has of a partition or a key.
        case history
        /// List the newest actions that were skipped, or show one of them.
        case deadLetters = "dead-letters"
        /// Append actions that were skipped after all others.
        case redispatch
        /// Forget actions that were skipped.
        case remove
        /// Repartition the cluster with another number of partitions.
        case resize
        /// Take everything along from a cluster that another configuration names.
        case `import`
        /// List what a halted cluster has lost, and continue without it.
        case resume
    }

    /// The words for requests.
    static let requests = Request.allCases.map(\.rawValue)

    /// The parsed command line.
    let options: OptionReader
    /// The parsed request.
    private let request: Request
    /// How many of the newest dead letters or actions are shown.
    let limit: Int
    /// The only dead letter that is shown; nil for the newest ones.
    private let shown: DeadLetterName?
    /// The dead letters that the request is about.
    private var names: [DeadLetterName] = []
    /// The new number of partitions; 0 without one.
    private(set) var partitions = 0
    /// The partition whose state is shown, and the place in it.
    private var place = (partition: 0, pointer: JSONPointer.whole)
    /// The action after which the state is shown; nil for the last checkpoint.
    private let moment: ClusterOffset?

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        let (word, further) = (options.operands[0], options.operands.dropFirst())
        guard let request = Request(rawValue: word) else {
            throw .unknownRequest(word, known: Self.requests, command: "cluster")
        }
        self.request = request
        limit = try options.number("--limit") ?? 100
        moment = try options.value(
            "--at", expected: "the offset of an action, such as 1795318121367-0", ClusterOffset.init)
        shown = try options.value("--show", expected: Self.letter, DeadLetterName.init)
        let most =
            switch request {
            case .redispatch, .remove, .where: Int.max
            case .state: 2
            case .resize, .import, .history, .replay: 1
            case .status, .deadLetters, .resume: 0
            }
        if further.count > most { throw .unexpectedArgument(further[1 + most], command: "cluster") }
        switch request {
        case .status, .deadLetters, .resume: break
        case .history:
            if let text = further.first {
                place.partition = try Self.partition(text, word)
            } else if options["--key"] == nil {
                throw .missingArgument("the number of a partition, or --key", command: "cluster history")
            }
        case .replay:
            guard let text = further.first else {
                throw .missingArgument("the number of a partition", command: "cluster replay")
            }
            place.partition = try Self.partition(text, word)
            guard options.has("--with") || options.has("--against") else {
                throw .missingArgument(
                    "--with and a library, or --against and a configuration", command: "cluster replay")
            }
        case .import:
            if further.isEmpty {
                throw .missingArgument("the configuration of before", command: "cluster import")
            }
        case .where:
            if further.isEmpty { throw .missingArgument("keys", command: "cluster where") }
        case .state:
            guard let text = further.first else {
                throw .missingArgument("the number of a partition", command: "cluster state")
            }
            let number = try Self.partition(text, word)
            let pointer = further.count > 1 ? further[2] : ""
            guard let read = try? JSONPointer(pointer) else {
                throw .malformedValue(
                    option: "cluster state", found: pointer,
                    expected: "a JSON Pointer such as \"/orders/eu\"")
            }
            place = (number, read)
        case .redispatch, .remove:
            if further.isEmpty {
                throw .missingArgument("the names of dead letters", command: "cluster \(word)")
            }
            for text in further {
                guard let name = DeadLetterName(text) else {
                    throw .malformedValue(option: "cluster \(word)", found: text, expected: Self.letter)
                }
                names.append(name)
            }
        case .resize:
            guard let text = further.first else {
                throw .missingArgument("a number of partitions", command: "cluster resize")
            }
            let range = ClusterConfiguration.partitionsRange
            guard let count = Int(text), range.contains(count) else {
                throw .malformedValue(
                    option: "cluster resize", found: text,
                    expected: "a number of partitions from \(range.lowerBound) to \(range.upperBound)")
            }
            partitions = count
        }
    }

    /// Reads the number of a partition.
    private static func partition(_ text: String, _ request: String) throws(UsageError) -> Int {
        guard let number = Int(text), number >= 0 else {
            throw .malformedValue(
                option: "cluster \(request)", found: text, expected: "the number of a partition, from 0 on")
        }
        return number
    }

    /// What names a dead letter, in words.
    private static let letter = "the name of a dead letter of the cluster, such as 7:1795318121367-0"

    /// Sends the request, prints the answer, and returns the exit code.
    func run() throws(Ended) -> ExitCode {
        let file = options.file
        guard let (cluster, engine) = try cluster(of: file, or: "add \"cluster\"") else {
            return .configuration
        }
        if request == .import {
            let other = ConfigurationFile(path: options.operands[1])
            return try bring(from: other, to: engine, cluster, file)
        }
        do throws(ClusterFailure) {
            let maintainer = try engine.maintainer(of: cluster.name, patience: Self.patience)
            guard let shape = try maintainer.shape() else {
                return .unavailable.because(
                    "there is no cluster \(cluster.name) at \(cluster.engine); it is created when the first member joins"
                )
            }
            if let code = objection(to: request, cluster, shape) { return code }
            switch request {
            case .status:
                let survey = try maintainer.engine(of: shape).survey().value(of: cluster.name)
                Results.write(survey, or: ClusterText.text(survey), isJSON: options.isJSON)
                return .success
            case .where:
                let places = try places(of: options.operands.dropFirst(), cluster, maintainer, shape)
                Results.write(
                    ["keys": .array(places.map(\.value))], or: KeyPlaceText.table(places),
                    isJSON: options.isJSON)
                return .success
            case .state:
                if let moment {
                    return try showState(
                        of: place.partition, at: place.pointer, after: moment, cluster, maintainer, shape)
                }
                return try showState(of: place.partition, at: place.pointer, cluster, maintainer, shape)
            case .replay: return try replay(place.partition, cluster, maintainer, shape)
            case .history:
                return try printHistory(
                    of: options.operands.count > 1 ? place.partition : nil, key: options["--key"], cluster,
                    maintainer, shape)
            case .deadLetters: return showLetters(try letters(maintainer, shape))
            case .redispatch:
                let keys = ClusterKeys(cluster, partitions: shape.partitions)
                return try each(try letters(maintainer, shape)) { letter throws(ClusterFailure) in
                    let partition =
                        keys.partition(ofWritten: letter.action) ?? letter.partition % shape.partitions
                    return try maintainer.redispatch(letter, to: partition, in: shape)
                        ? "appended to partition \(partition)" : nil
                }
            case .remove:
                return try each(try letters(maintainer, shape)) { letter throws(ClusterFailure) in
                    try maintainer.remove(letter) ? "removed" : nil
                }
            case .resize: return try resize(file, cluster, maintainer, shape)
            case .resume: return try resume(cluster, maintainer, shape)
            // Begun above: it needs no cluster here.
            case .import: return .success
            }
        } catch {
            return .unavailable.because("cluster \(cluster.name) at \(cluster.engine): \(error)")
        }
    }

    /// Returns the cluster that a file names, and where its engine is; reports why there is none, with advice where it names none.
    func cluster(of file: ConfigurationFile, or advice: String) throws(Ended) -> (
        cluster: ClusterConfiguration, engine: ClusterPlace
    )? {
        let outcome = try file.read()
        if let cluster = outcome.readable?.cluster, let engine = cluster.place(from: file.folder) {
            return (cluster, engine)
        }
        if outcome.diagnostics.isFailure {
            outcome.diagnostics.write()
        } else {
            StandardError.tell("\(file.path) names no cluster; \(advice)")
        }
        return nil
    }

    // MARK: - Dead letters

    /// Returns all dead letters, oldest first.
    private func letters(_ maintainer: any ClusterMaintainer, _ shape: ClusterShape) throws(ClusterFailure)
        -> [ClusterDeadLetter]
    {
        // A letter that was written twice because the answer was lost counts once.
        var seen: Set<DeadLetterName> = []
        return try maintainer.engine(of: shape).deadLetters(atMost: .max).filter {
            seen.insert(DeadLetterName(of: $0)).inserted
        }
    }

    /// Prints the newest dead letters, or one of them with its action.
    private func showLetters(_ letters: [ClusterDeadLetter]) -> ExitCode {
        guard let shown else {
            let newest = Array(letters.suffix(limit))
            Results.write(
                ClusterLetterText.value(newest, of: letters.count),
                or: ClusterLetterText.list(newest, of: letters.count), isJSON: options.isJSON)
            return .success
        }
        guard let letter = letters.first(where: { DeadLetterName(of: $0) == shown }) else {
            return .usage.because(Self.unknown(shown))
        }
        Results.write(
            ClusterLetterText.value([letter], of: letters.count), or: ClusterLetterText.whole(letter),
            isJSON: options.isJSON)
        return .success
    }

    /// Applies `body` to each letter that the request names and prints the results; reports those that do not exist.
    ///
    /// - Parameter body: returns the result for the letter; nil when another client was faster.
    private func each(
        _ letters: [ClusterDeadLetter], _ body: (ClusterDeadLetter) throws(ClusterFailure) -> String?
    ) throws(ClusterFailure) -> ExitCode {
        let known = Dictionary(uniqueKeysWithValues: letters.map { (DeadLetterName(of: $0), $0) })
        var results: [(name: DeadLetterName, became: String)] = []
        var isComplete = true
        for name in names {
            if let letter = known[name], let became = try body(letter) {
                results.append((name, became))
            } else {
                StandardError.tell(Self.unknown(name))
                isComplete = false
            }
        }
        let values = results.map {
            Value.object(["name": .string("\($0.name)"), "became": .string($0.became)])
        }
        Results.write(
            ["results": .array(values)], or: results.map { "\($0.name): \($0.became)\n" }.joined(),
            isJSON: options.isJSON)
        return isComplete ? .success : .usage
    }

    /// The message about a letter that does not exist.
    private static func unknown(_ name: DeadLetterName) -> String {
        "there is no dead letter \(name); see gatehouse cluster dead-letters"
    }
}
