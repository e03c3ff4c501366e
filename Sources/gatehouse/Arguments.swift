// SPDX-License-Identifier: Apache-2.0

/// A command line, taken apart; nothing has been done yet.
enum Arguments: Equatable {
    /// Read actions and run them.
    case run(RunOptions)
    /// Say everything that is wrong.
    case check(PlanningOptions)
    /// Show the instances.
    case list(PlanningOptions)
    /// Show the routes.
    case plan(PlanningOptions)
    /// Describe a file.
    case inspect(InspectOptions)
    /// Try plugins as a child of a host; what a host calls, and nobody else.
    case rehearse(descriptor: Int32, host: Int32)
    /// Print the version; for programs or for people.
    case version(isJSON: Bool)
    /// Explain; a command's name or nil for all.
    case help(String?)

    /// The commands, in the order of the help text.
    static let commands = ["run", "check", "list", "plan", "inspect", "version", "help"]

    /// Reads the arguments behind the program's name.
    static func parse(_ arguments: [String]) throws(UsageError) -> Arguments {
        guard let command = arguments.first else { return .help(nil) }
        let rest = arguments.dropFirst()
        if rest.contains("--help") || rest.contains("-h") {
            let named = command == "--version" ? "version" : command
            if commands.contains(named) { return .help(named) }
        }
        switch command {
        case "run":
            return .run(try RunOptions(rest))
        case "check":
            return .check(
                try PlanningOptions(rest, of: command, further: [.flag("--strict"), .flag("--rehearse")]))
        case "list":
            return .list(try PlanningOptions(rest, of: command))
        case "plan":
            return .plan(try PlanningOptions(rest, of: command, further: [.flag("--graph")], operands: 1))
        case "inspect":
            return .inspect(try InspectOptions(rest))
        case "rehearse":
            let numbers = rest.compactMap(Int32.init)
            guard rest.count == 2, numbers.count == 2 else { throw .unknownCommand(command, known: commands) }
            return .rehearse(descriptor: numbers[0], host: numbers[1])
        case "version", "--version":
            let options = try OptionReader(rest, of: "version", options: [.flag("--json")])
            return .version(isJSON: options["--json"] != nil)
        case "help", "--help", "-h":
            guard let topic = rest.first else { return .help(nil) }
            guard commands.contains(topic) else { throw .unknownCommand(topic, known: commands) }
            return .help(topic)
        default:
            throw .unknownCommand(command, known: commands)
        }
    }
}
