// SPDX-License-Identifier: Apache-2.0

/// `gatehouse help`: explains one command, or lists all of them.
struct HelpCommand: ParsedCommand {
    /// The parsed command line, with options that only scripts use.
    private let options: OptionReader
    /// The command to explain; nil for all.
    private let command: Command?

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        let name = options.operands.first
        command = name.flatMap { CommandTable[$0] }
        if let name, command == nil { throw .unknownCommand(name) }
    }

    func run() -> ExitCode {
        Results.write(text)
        return .success
    }

    /// The help in the form that is asked for.
    private var text: String {
        if options.has("--man") { return (command.map { ManualPage($0) } ?? .overview).text }
        if let shell = options["--completions"].flatMap(CompletionShell.init) { return shell.script }
        if options.has("--names") { return CommandTable.names.map { $0 + "\n" }.joined() }
        return (command.map { HelpPage($0) } ?? .overview).text
    }
}
