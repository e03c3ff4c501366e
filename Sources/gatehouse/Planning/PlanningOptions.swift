// SPDX-License-Identifier: Apache-2.0

/// The options of `check`, `list` and `plan`.
struct PlanningOptions: Equatable {
    /// The path of the configuration file.
    var config = "plugins.json"
    /// The folder of plugins to judge without a configuration file; nil for the file.
    var plugins: String?
    /// Whether to refuse files that their group may write to.
    var isStrict = false
    /// Whether to try plugins in a child of this process.
    var rehearses = false
    /// Whether the result is JSON.
    var isJSON = false
    /// Whether the result is a graph.
    var isGraph = false
    /// The action type to show; nil for all.
    var type: String?

    /// The options of a command line without options.
    init() {}

    /// The configuration to judge.
    var file: ConfigurationFile { ConfigurationFile(path: config, plugins: plugins) }

    /// Parses the arguments after the name of one of these commands.
    init(_ arguments: some Sequence<String>, of command: Command) throws(UsageError) {
        let options = try OptionReader(arguments, of: command)
        config = options["--config"] ?? config
        plugins = options["--plugins"]
        isStrict = options["--strict"] != nil
        rehearses = options["--rehearse"] != nil
        isJSON = options["--json"] != nil
        isGraph = options["--graph"] != nil
        type = options.operands.first
        if isGraph, let type { throw .unexpectedArgument(type, command: command.name) }
    }
}
