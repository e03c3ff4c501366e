// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks

/// The options of `gatehouse test`.
struct TestOptions: Equatable {
    /// The configuration to use instead of those that the files name; nil to use theirs.
    var config: String?
    /// The files of cases; empty for the one beside the configuration.
    var files: [String] = []
    /// How long the effects of one step may take.
    var limit = Duration.seconds(10)
    /// Whether the result is JSON.
    var isJSON = false

    /// The options of a command line without options.
    init() {}

    /// Parses the arguments after `test`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.test)
        config = options["--config"]
        files = options.operands
        isJSON = options["--json"] != nil
        guard let text = options["--limit"] else { return }
        guard let seconds = Double(text), (0...86_400).contains(seconds) else {
            throw .invalidValue(
                option: "--limit", found: text, expected: ["a number of seconds from 0 to 86400"])
        }
        limit = .seconds(seconds)
    }

    /// The files to run.
    var paths: [String] { files.isEmpty ? [CaseFile.name(beside: config ?? "plugins.json")] : files }
}
