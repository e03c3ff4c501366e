// SPDX-License-Identifier: Apache-2.0

/// All commands of the program.
enum CommandTable {
    /// In the order of the overview.
    static let all = [
        run, check, list, plan, pin, add, outdated, test, inspect, validate, probe, sign, index, new, sdk,
        ctl, cluster, history,
        state,
        replay,
        backup, restore, version, help,
    ]

    /// What the program is.
    static let summary = "runs actions through middlewares that it loads from plugin libraries"

    /// What the exit codes mean, whatever the command.
    static let exits: [(code: ExitCode, meaning: String)] = [
        (.success, "done"), (.usage, "usage"), (.badData, "bad data"), (.pluginRefused, "plugin refused"),
        (.internalError, "internal error"), (.journalFailed, "journal failed"),
        (.givenUp, "accepted work was left unfinished"),
        (.configuration, "configuration"),
    ]

    /// The words for them.
    static var names: [String] { all.map(\.name) }

    /// The command with a name; nil for none.
    static subscript(name: String) -> Command? { all.first { $0.name == name } }

    /// Where the plugins come from.
    static let source = Command.Part.options([
        CommandOption(
            name: "--config", placeholder: "FILE", expected: "a configuration file",
            meaning: "the configuration (default plugins.json)", completion: .file),
        CommandOption(
            name: "--plugins", placeholder: "DIR", expected: "a folder of plugin libraries",
            meaning: "the plugins in a folder, without a configuration", completion: .folder),
    ])

    /// A configuration with something to say about what it is for.
    static func configuration(_ meaning: String) -> Command.Part {
        .option("--config", "FILE", expected: "a configuration file", meaning: meaning, completion: .file)
    }

    /// An option that makes the result one for programs.
    static func json(_ meaning: String = "print one JSON object") -> CommandOption {
        CommandOption(name: "--json", meaning: meaning)
    }

    /// `gatehouse version`.
    static let version = Command(
        name: "version", type: VersionCommand.self,
        summary: "print the version, the SDK fingerprint and the compiler",
        parts: [.options([json()])],
        description: [
            "Prints the version of this host, and what a plugin must have in common with it: ABI number, SDK fingerprint, compiler, target and build configuration. The digest of all sources of the SDK decides for plugins that may contain more than the fingerprint covers."
        ])

    /// `gatehouse help`.
    static let help = Command(
        name: "help", type: HelpCommand.self, summary: "explain a command",
        parts: [
            .operand("COMMAND"),
            .options([
                CommandOption(name: "--man", isHidden: true), CommandOption(name: "--names", isHidden: true),
                CommandOption(
                    name: "--completions", placeholder: "SHELL",
                    choices: CompletionShell.allCases.map { ($0.rawValue, "") }, isHidden: true),
            ]),
        ],
        description: ["Explains a command, or lists them all."])
}
