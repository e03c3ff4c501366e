// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan

/// The options of `gatehouse cluster`.
struct ClusterOptions: Equatable {
    /// A request to the engine.
    enum Request: Equatable {
        /// List the members and their partitions.
        case status
        /// List the newest actions that were skipped, or show one of them.
        case deadLetters(limit: Int, shown: DeadLetterName?)
        /// Append actions that were skipped after all others.
        case redispatch([DeadLetterName])
        /// Forget actions that were skipped.
        case remove([DeadLetterName])
        /// Repartition the cluster with another number of partitions.
        case resize(to: Int, discarding: [String], isDry: Bool)
    }

    /// The names of the requests, in the order of the help text.
    static let requests = ["status", "dead-letters", "redispatch", "remove", "resize"]
    /// How many dead letters are shown by default.
    private static let usualLimit = 100

    /// The parsed request.
    let request: Request
    /// The path of the configuration that names the cluster.
    let config: String
    /// Whether the answer is for programs.
    let isJSON: Bool

    /// Parses the arguments after `cluster`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.cluster)
        config = options["--config"] ?? "plugins.json"
        isJSON = options["--json"] != nil
        request = try Self.request(options)
    }

    /// Parses the request.
    private static func request(_ options: OptionReader) throws(UsageError) -> Request {
        let word = options.operands[0]
        let further = Array(options.operands.dropFirst())
        let owners = [
            ("--limit", "dead-letters"), ("--show", "dead-letters"), ("--dry-run", "resize"),
        ]
        for (option, owner) in owners where options[option] != nil && word != owner {
            throw .foreignOption(option, of: "cluster \(owner)", found: "cluster \(word)")
        }
        if !options.list("--discard").isEmpty, word != "resize" {
            throw .foreignOption("--discard", of: "cluster resize", found: "cluster \(word)")
        }
        if ["status", "dead-letters"].contains(word), let extra = further.first {
            throw .unexpectedArgument(extra, command: "cluster")
        }
        switch word {
        case "status": return .status
        case "dead-letters":
            return .deadLetters(
                limit: try limit(options),
                shown: try options["--show"].map { text throws(UsageError) in
                    try letter(text, of: "--show")
                })
        case "redispatch": return .redispatch(try letters(further, word))
        case "remove": return .remove(try letters(further, word))
        case "resize":
            guard let text = further.first else {
                throw .missingArgument("a number of partitions", command: "cluster resize")
            }
            if further.count > 1 { throw .unexpectedArgument(further[1], command: "cluster") }
            let range = ClusterConfiguration.partitionsRange
            guard let count = Int(text), range.contains(count) else {
                throw .malformedValue(
                    option: "cluster resize", found: text,
                    expected: "a number of partitions from \(range.lowerBound) to \(range.upperBound)")
            }
            return .resize(
                to: count, discarding: options.list("--discard"), isDry: options["--dry-run"] != nil)
        default: throw .unknownRequest(word, known: requests, command: "cluster")
        }
    }

    /// How many dead letters to show.
    private static func limit(_ options: OptionReader) throws(UsageError) -> Int {
        guard let text = options["--limit"] else { return usualLimit }
        guard let number = Int(text), number > 0 else {
            throw .malformedValue(option: "--limit", found: text, expected: "a number from 1 on")
        }
        return number
    }

    /// Parses the names of the letters of a request.
    private static func letters(_ words: [String], _ request: String) throws(UsageError) -> [DeadLetterName] {
        guard !words.isEmpty else {
            throw .missingArgument("the names of dead letters", command: "cluster \(request)")
        }
        var names: [DeadLetterName] = []
        for word in words { names.append(try letter(word, of: "cluster \(request)")) }
        return names
    }

    /// Parses the name of a letter.
    private static func letter(_ text: String, of option: String) throws(UsageError) -> DeadLetterName {
        guard let name = DeadLetterName(text) else {
            throw .malformedValue(
                option: option, found: text,
                expected: "the name of a dead letter of the cluster, such as 7:1795318121367-0")
        }
        return name
    }
}
