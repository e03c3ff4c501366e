// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// A parsed command line; nothing has been done yet.
enum Arguments: Equatable {
    /// Read actions and run them.
    case run(RunOptions)
    /// Report every problem.
    case check(PlanningOptions)
    /// Show the chain of instances.
    case list(PlanningOptions)
    /// Show the routes of action types.
    case plan(PlanningOptions)
    /// Run the cases of a configuration.
    case test(TestOptions)
    /// Ask a running host.
    case control(CtlOptions)
    /// Inspect a cluster through its engine, or change it.
    case cluster(ClusterOptions)
    /// Show the recorded actions of a journal.
    case history(HistoryOptions)
    /// Print a past state.
    case state(StateOptions)
    /// Replay recorded actions with a configuration.
    case replay(ReplayOptions)
    /// Copy a journal.
    case backup(BackupOptions)
    /// Replace a journal with a backup.
    case restore(RestoreOptions)
    /// Describe a library file and judge it.
    case inspect(InspectOptions)
    /// Check a plugin in a child process.
    case validate(ValidateOptions)
    /// Drive one plugin with the requests of a test.
    case probe(ProbeOptions)
    /// Run plugin code as a child of a host; only a host calls this.
    case child(ChildTask, descriptor: Int32, host: Int32)
    /// Make the package of a plugin.
    case new(NewOptions)
    /// Print where the SDK is; for programs or for people.
    case sdk(SDKCommand.Form)
    /// Print the version; for programs or for people.
    case version(isJSON: Bool)
    /// Explain the commands.
    case help(HelpOptions)

    /// Parses the arguments after the program's name.
    static func parse(_ arguments: [String]) throws(UsageError) -> Arguments {
        guard let word = arguments.first else { return .help(HelpOptions(nil)) }
        let rest = arguments.dropFirst()
        let name = aliases[word] ?? word
        if rest.contains("--help") || rest.contains("-h"), let command = CommandTable[name] {
            return .help(HelpOptions(command))
        }
        switch name {
        case "run": return .run(try RunOptions(rest))
        case "check": return .check(try PlanningOptions(rest, of: CommandTable.check))
        case "list": return .list(try PlanningOptions(rest, of: CommandTable.list))
        case "plan": return .plan(try PlanningOptions(rest, of: CommandTable.plan))
        case "inspect": return .inspect(try InspectOptions(rest))
        case "test": return .test(try TestOptions(rest))
        case "ctl": return .control(try CtlOptions(rest))
        case "cluster": return .cluster(try ClusterOptions(rest))
        case "history": return .history(try HistoryOptions(rest))
        case "state": return .state(try StateOptions(rest))
        case "replay": return .replay(try ReplayOptions(rest))
        case "backup": return .backup(try BackupOptions(rest))
        case "restore": return .restore(try RestoreOptions(rest))
        case "new": return .new(try NewOptions(rest))
        case "sdk":
            let options = try OptionReader(rest, of: CommandTable.sdk)
            if options["--json"] != nil { return .sdk(.json) }
            return .sdk(options["--environment"] != nil ? .environment : .folder)
        case "validate": return .validate(try ValidateOptions(rest))
        case "probe": return .probe(try ProbeOptions(rest))
        case "child":
            let numbers = rest.dropFirst().compactMap(Int32.init)
            guard let task = rest.first.flatMap(ChildTask.init(rawValue:)), rest.count == 3,
                numbers.count == 2
            else { throw .unknownCommand(word) }
            return .child(task, descriptor: numbers[0], host: numbers[1])
        case "version":
            let options = try OptionReader(rest, of: CommandTable.version)
            return .version(isJSON: options["--json"] != nil)
        case "help": return .help(try HelpOptions(rest))
        default: throw .unknownCommand(word)
        }
    }

    /// Conventional options that other programs use instead of a command.
    private static let aliases = ["--version": "version", "--help": "help", "-h": "help"]
}
