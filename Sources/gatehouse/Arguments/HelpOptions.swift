// SPDX-License-Identifier: Apache-2.0

/// The options of `gatehouse help`.
struct HelpOptions: Equatable {
    /// The form of the answer.
    enum Form: Equatable {
        /// A page of text for a terminal.
        case page
        /// The source of a manual page for `man`.
        case manual
        /// For a shell that completes command lines.
        case completions(CompletionScript.Shell)
        /// The names of all commands, for scripts.
        case names
    }

    /// The name of an existing command; nil for all.
    private let command: String?
    /// The form in which help is given.
    private let form: Form

    /// Creates a request for help on a command, or on all when nil.
    init(_ command: Command?) {
        self.command = command?.name
        form = .page
    }

    /// Parses the arguments after `help`.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        let options = try OptionReader(arguments, of: CommandTable.help)
        let command = options.operands.first
        if let command, CommandTable[command] == nil { throw .unknownCommand(command) }
        self.command = command
        if options["--man"] != nil {
            form = .manual
        } else if let shell = options["--completions"].flatMap(CompletionScript.Shell.init) {
            form = .completions(shell)
        } else {
            form = options["--names"] != nil ? .names : .page
        }
    }

    /// The text of the help in this form.
    var text: String {
        let command = command.flatMap { CommandTable[$0] }
        return switch form {
        case .page: (command.map { HelpPage($0) } ?? .overview).text
        case .manual: (command.map { ManualPage($0) } ?? .overview).text
        case .completions(let shell): CompletionScript(for: shell).text
        case .names: CommandTable.names.map { $0 + "\n" }.joined()
        }
    }
}
