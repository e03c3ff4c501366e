// SPDX-License-Identifier: Apache-2.0

/// What `check`, `list` and `plan` are told.
struct PlanningOptions: Equatable {
    /// The configuration file.
    var config = "plugins.json"
    /// Whether files that their group may write to are refused.
    var isStrict = false
    /// Whether the result is JSON.
    var isJSON = false
    /// Whether the result is a graph.
    var isGraph = false
    /// The one action type that is asked about, nil for all.
    var type: String?

    /// The defaults.
    init() {}

    /// Reads the arguments behind a command's name; `further` are the options beside `--config` and `--json`.
    init(
        _ arguments: some Sequence<String>, of command: String, further: [OptionReader.Option] = [],
        operands: Int = 0
    ) throws(UsageError) {
        let options = try OptionReader(
            arguments, of: command,
            options: [.value("--config", "a configuration file"), .flag("--json")] + further,
            operands: operands)
        config = options["--config"] ?? config
        isStrict = options["--strict"] != nil
        isJSON = options["--json"] != nil
        isGraph = options["--graph"] != nil
        type = options.operands.first
        if isJSON, isGraph { throw .exclusiveOptions("--json", "--graph") }
        if isGraph, let type { throw .unexpectedArgument(type, command: "plan") }
    }
}
