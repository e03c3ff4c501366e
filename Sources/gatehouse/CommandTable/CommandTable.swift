// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// All commands of the program.
enum CommandTable {
    /// In the order of the overview.
    static let all = [
        run, check, list, plan, test, inspect, validate, new, sdk, ctl, history, state, replay, backup,
        version, help,
    ]

    /// What the program is.
    static let summary = "runs actions through middlewares that it loads from plugin libraries"

    /// What the exit codes mean, whatever the command.
    static let exits: [(code: ExitCode, meaning: String)] = [
        (.success, "done"), (.usage, "usage"), (.badData, "bad data"), (.pluginRefused, "plugin refused"),
        (.internalError, "internal error"), (.journalFailed, "journal failed"),
        (.givenUp, "something accepted was not done"),
        (.configuration, "configuration"),
    ]

    /// The words for them.
    static var names: [String] { all.map(\.name) }

    /// The command with a name; nil for none.
    static subscript(name: String) -> Command? { all.first { $0.name == name } }

    /// Where the plugins come from.
    private static let source = Command.Part.options([
        CommandOption(
            name: "--config", placeholder: "FILE", expected: "a configuration file",
            meaning: "the configuration (default plugins.json)", completion: .file),
        CommandOption(
            name: "--plugins", placeholder: "DIR", expected: "a folder of plugin libraries",
            meaning: "the plugins in a folder, without a configuration", completion: .folder),
    ])

    /// An option that makes the result one for programs.
    private static func json(_ meaning: String = "print one JSON object") -> CommandOption {
        CommandOption(name: "--json", meaning: meaning)
    }

    /// `gatehouse run`.
    static let run = Command(
        name: "run", summary: "read actions, one JSON object a line, and run them",
        parts: [
            source,
            .options([
                CommandOption(
                    name: "--input", placeholder: "FILE", expected: "a file, or - for standard input",
                    meaning:
                        "the actions; - for standard input, which is read when no other input is named; may be given several times",
                    completion: .file, isRepeatable: true)
            ]),
            .options([
                CommandOption(
                    name: "--tail", placeholder: "FILE", expected: "a file that others write to",
                    meaning:
                        "a file that others write to and replace, from where the run before has ended; may be given several times",
                    completion: .file, isRepeatable: true)
            ]),
            .options([
                CommandOption(
                    name: "--listen", placeholder: "ADDRESS", expected: "an address such as unix:in.sock",
                    meaning:
                        "where writers connect, such as unix:in.sock; with ?ack behind it they are told what is done; may be given several times",
                    isRepeatable: true)
            ]),
            .options([
                CommandOption(
                    name: "--print", placeholder: "WHAT",
                    choices: [
                        ("state", "the final state as JSON (default)"),
                        ("actions", "each action as it is processed, one JSON object a line"),
                        ("none", "nothing"),
                    ], meaning: "what is printed")
            ]),
            .options([
                CommandOption(
                    name: "--wrap", placeholder: "TYPE", expected: "the type of the action of each line",
                    meaning: "each line, any JSON, is the payload of an action of this type"),
                CommandOption(
                    name: "--wrap-at", placeholder: "POINTER",
                    expected: "where in each line its action's type stands, as a JSON Pointer",
                    meaning: "the same, with the type that stands in the line at a JSON Pointer"),
            ]),
            .options([
                CommandOption(
                    name: "--strict",
                    meaning:
                        "stop at the first bad line or payload with exit code 65, end with it when an instance reported an error, and refuse plugins that their group may write to"
                ),
                CommandOption(
                    name: "--max-rejected", placeholder: "N",
                    expected: "a number of lines, or a part of them such as 2%",
                    meaning:
                        "stop when more than N lines are rejected or refused; N% is looked at in the end; both end with exit code 65"
                ),
            ]),
            .options([
                CommandOption(
                    name: "--keep-going",
                    meaning:
                        "leave out plugins that are refused or missing, run the rest, and end with exit code 69"
                )
            ]),
            .options([
                CommandOption(
                    name: "--accept-loss",
                    meaning:
                        "go on without actions that cannot be read from the journal any more, instead of not starting"
                )
            ]),
            .options([
                CommandOption(
                    name: "--watch",
                    meaning:
                        "look at the configuration again when it or a library has changed; SIGHUP and the action host/reload ask for that too"
                )
            ]),
            .options([
                CommandOption(
                    name: "--grace", placeholder: "SECONDS", expected: "a number of seconds",
                    meaning:
                        "how long effects that finish may take at the end (default 10); what is given up then ends the run with exit code 75"
                )
            ]),
            .options([
                CommandOption(
                    name: "--supervise",
                    meaning:
                        "watch the host from a process of its own, say which plugin has ended it, and start it again"
                )
            ]),
            .options([
                CommandOption(
                    name: "--watchdog", placeholder: "SECONDS", expected: "a number of seconds",
                    meaning:
                        "how long one call of a plugin may take before it is told of (default 10); 0 for any time"
                )
            ]),
            .options([
                CommandOption(
                    name: "--profile",
                    meaning: "time each action, and tell at the end where the time went")
            ]),
            .options([
                CommandOption(
                    name: "--name", placeholder: "NAME", expected: "the name of a host",
                    meaning:
                        "what gatehouse ctl calls the host (default: the name that the configuration gives, or that of its folder)"
                )
            ]),
            .options([
                CommandOption(
                    name: "--control",
                    meaning: "let gatehouse ctl reach the host, whatever the configuration says"),
                CommandOption(name: "--no-control", meaning: "let nobody reach it"),
            ]),
        ],
        description: [
            "Loads the plugins that the configuration names, reads actions from its inputs, one JSON object a line, and runs them. Ends when the inputs and every effect they started are finished, or in good order at SIGINT or SIGTERM; at a second one at once. A socket that it listens at and a file that it follows never end."
        ],
        notes: [
            "A bad line is reported on standard error as FILE:LINE:COLUMN: REASON, counted and skipped; when no line is good, the exit code is 65. Of reports that are alike, the first hundred are shown. Results go to standard output, words to standard error."
        ],
        exits: [
            (.success, "done"), (.usage, "the command line makes no sense, or the input cannot be read"),
            (.badData, "bad data"), (.pluginRefused, "a plugin was refused"),
            (.internalError, "results cannot be written, or a plugin ended the process"),
            (.journalFailed, "the journal cannot be opened, read or written"),
            (.givenUp, "something accepted was not done"), (.configuration, "the configuration is wrong"),
        ])

    /// `gatehouse check`.
    static let check = Command(
        name: "check", summary: "say everything that is wrong with the configuration and its plugins",
        parts: [
            source,
            .options([
                CommandOption(
                    name: "--rehearse",
                    meaning: "try the plugins in a child process too, up to where they would start")
            ]),
            .options([
                CommandOption(
                    name: "--strict", meaning: "refuse plugins that their group may write to")
            ]),
            .options([json("print what was found as one JSON object, instead of words")]),
        ],
        description: [
            "Judges the configuration and the libraries that it names, as run does before it starts. Loads nothing, so that no code of a plugin runs, unless it is to rehearse."
        ],
        exits: [
            (.success, "nothing keeps the host from starting"), (.pluginRefused, "a plugin would be refused"),
            (.configuration, "the configuration is wrong"),
        ])

    /// `gatehouse list`.
    static let list = Command(
        name: "list", summary: "show the instances in chain order, and what was left out",
        parts: [source, .options([json()])],
        description: [
            "Shows the instances in chain order: plugin, library, gate, what each hears and emits, and where its slice is; then the libraries in the folder that take no part. Loads nothing. What is refused is shown with the reasons."
        ],
        exits: check.exits)

    /// `gatehouse plan`.
    static let plan = Command(
        name: "plan", summary: "show who hears and emits what",
        parts: [
            source,
            .options([
                json(), CommandOption(name: "--graph", meaning: "print a graph in the DOT language"),
            ]),
            .operand(
                CommandOperand(
                    name: "TYPE",
                    meaning: "only the route of this type, or those below a pattern such as orders/*")),
        ],
        description: [
            "Shows what would run, in which order, and for each action type who emits it and who hears it, behind which gate, as manifests and configuration declare it. Loads nothing."
        ],
        exits: check.exits)

    /// `gatehouse test`.
    static let test = Command(
        name: "test", summary: "run the cases that say what the configuration does",
        parts: [
            .options([
                CommandOption(
                    name: "--config", placeholder: "FILE", expected: "a configuration file",
                    meaning: "the configuration, in place of the one that a file of cases names",
                    completion: .file)
            ]),
            .options([
                CommandOption(
                    name: "--limit", placeholder: "SECONDS", expected: "a number of seconds",
                    meaning: "how long the effects of one step may take (default 10)")
            ]),
            .options([json("print what came of each case as one JSON object, instead of words")]),
            .operand(
                CommandOperand(
                    name: "FILE",
                    meaning:
                        "the cases (default: those beside the configuration, plugins.test.json beside plugins.json)",
                    repeats: true, completion: .file)),
        ],
        description: [
            "Runs the cases of each file, one after the other, each on a host of its own that begins anew: actions in, actions and state expected. Time stands still unless a case moves it, data of instances goes to a folder that is removed, and neither state file nor sockets are touched. Effects are real where a case does not stub them.",
            "Tells each case in one line, and of one that has failed where and what differs: - what was expected, + what was found.",
        ],
        exits: [
            (.success, "all cases have passed"), (.badData, "a case has failed"),
            (.pluginRefused, "a plugin was refused"),
            (.internalError, "results cannot be written, or a plugin ended the process"),
            (.configuration, "a file of cases or a configuration is wrong"),
        ])

    /// `gatehouse inspect`.
    static let inspect = Command(
        name: "inspect", summary: "describe a library and tell whether it would be loaded",
        parts: [
            .operand(
                CommandOperand(
                    name: "FILE", expected: "a library file", isRequired: true, completion: .file)),
            .options([json("one JSON object instead of text")]),
        ],
        description: [
            "Tells everything about a library without running any of it: what it is, what it says about itself, what it needs, in what it differs from this host, and whether it would be loaded. Takes files of any kind, also for other machines or another SDK."
        ],
        exits: [
            (.success, "it would be loaded"), (.pluginRefused, "it would be refused"),
            (.usage, "it cannot be read"),
        ])

    /// `gatehouse validate`.
    static let validate = Command(
        name: "validate", summary: "check that a plugin does what every plugin should",
        parts: [
            .operand(
                CommandOperand(
                    name: "FILE", expected: "a library file", meaning: "the plugin", completion: .file)),
            .options([
                CommandOption(
                    name: "--only", placeholder: "NAMES",
                    expected: "names of checks or groups, with commas between",
                    meaning: "only these checks or groups, such as actions,state/round-trip")
            ]),
            .options([
                CommandOption(
                    name: "--input", placeholder: "FILE", expected: "a file of actions",
                    meaning: "actions that the plugin is to hear too, one JSON object a line",
                    completion: .file)
            ]),
            .options([
                CommandOption(
                    name: "--seed", placeholder: "N", expected: "a whole number from 0 on",
                    meaning: "make other random payloads (default 1)")
            ]),
            .options([
                CommandOption(
                    name: "--states", placeholder: "FILE", expected: "a file of states",
                    meaning:
                        "states of earlier versions that the plugin is to take over, one object a line such as {\"version\":1,\"state\":{}}",
                    completion: .file)
            ]),
            .options([CommandOption(name: "--list", meaning: "print the checks, and do none")]),
            .options([json()]),
        ],
        description: [
            "Does many checks on one library and tells of each whether it is passed: pass, warn, fail, crash or skip. What can be told from its bytes is told from them. Each other check runs code of the plugin, in a process of its own that is ended when its time or memory is used up, with all that the plugin has started there.",
            "Payloads are made up: what the plugin takes is found out by asking it. So the plugin does what it does with real actions; what it reaches over a network, it reaches.",
        ],
        exits: [
            (.success, "no check failed or crashed"), (.pluginRefused, "a check failed or crashed"),
            (.usage, "the library or the input cannot be read"),
        ])

    /// `gatehouse new`.
    static let new = Command(
        name: "new", summary: "make the package of a plugin",
        parts: [
            .operand(
                CommandOperand(
                    name: "NAME", expected: "the name of a plugin, such as RateLimiter",
                    meaning: "a Swift type such as RateLimiter; the plugin's id is then rate-limiter",
                    isRequired: true)),
            .options([
                CommandOption(
                    name: "--template", placeholder: "WHAT",
                    choices: PluginTemplate.allCases.map { ($0.rawValue, $0.summary) },
                    meaning: "what the plugin begins with")
            ]),
            .options([
                CommandOption(
                    name: "--sdk", placeholder: "DIR", expected: "the folder of the SDK's sources",
                    meaning: "the folder of the SDK (default: what gatehouse sdk prints)",
                    completion: .folder)
            ]),
        ],
        description: [
            "Makes a folder NAME with a plugin, its tests, a configuration that gates it by an action, cases for gatehouse test, a sample of input and a Makefile. It builds, passes its tests and loads as it is. The SDK is built once for all plugins, in the user's cache."
        ],
        exits: [
            (.success, "the package is there"),
            (.usage, "the name cannot be used, or something is there already"),
            (.unavailable, "there is no SDK, or another one"),
            (.internalError, "the package cannot be written"),
        ])

    /// `gatehouse sdk`.
    static let sdk = Command(
        name: "sdk", summary: "print the folder of the SDK that plugins of this host are built with",
        parts: [.options([json()])],
        description: [
            "Prints the folder of the SDK's sources that were installed with this host, or that it was built from, when its fingerprint is still that of the host. With --json also version, fingerprint and build configuration."
        ],
        exits: [(.success, "done"), (.unavailable, "there is no SDK, or another one")])

    /// `gatehouse ctl`.
    static let ctl = Command(
        name: "ctl", summary: "ask a running host, and tell it what to do",
        parts: [
            .options([
                CommandOption(
                    name: "--name", placeholder: "NAME", expected: "the name of a host",
                    meaning: "the host with this name (default: the only one that runs)"),
                CommandOption(
                    name: "--socket", placeholder: "PATH", expected: "the path of a control socket",
                    meaning: "the host whose control socket is there", completion: .file),
            ]),
            .options([json("print JSON")]),
            .options([
                CommandOption(
                    name: "--instance", placeholder: "ID", expected: "the id of an instance",
                    meaning: "watch: only what this instance emits")
            ]),
            .options([
                CommandOption(
                    name: "--state", placeholder: "POINTER", expected: "a JSON Pointer",
                    meaning: "watch: changes of the state there, alone or besides")
            ]),
            .options([
                CommandOption(
                    name: "--expect", placeholder: "N", expected: "the number of a generation",
                    meaning: "reload: only if the generation is still N")
            ]),
            .options([
                CommandOption(
                    name: "--rehearse-with-history", placeholder: "N", expected: "a number of actions",
                    meaning:
                        "reload: first try the new generation on the newest N actions of the journal, in a child process; what ends that refuses the reload, what differs is told"
                )
            ]),
            .options([
                CommandOption(
                    name: "--strict", meaning: "reload: what differs on the way refuses it too")
            ]),
            .options([CommandOption(name: "--once", meaning: "top: print one page, without a terminal")]),
            .options([
                CommandOption(
                    name: "--limit", placeholder: "N", expected: "a number from 1 on",
                    meaning: "dead-letters: only the newest N"),
                CommandOption(
                    name: "--show", placeholder: "ID", expected: "the number of a dead letter",
                    meaning: "dead-letters: only this one, with its action"),
                CommandOption(name: "--all", meaning: "redispatch: every dead letter that has its action"),
            ]),
            .options([
                CommandOption(
                    name: "--kind", placeholder: "KIND",
                    expected: DeadLetter.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                    meaning:
                        "dead-letters, redispatch --all: only those of a kind: \(DeadLetter.Kind.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            ]),
            .operand(
                CommandOperand(
                    name: "REQUEST", expected: "one of \(CtlOptions.requests.joined(separator: ", "))",
                    meaning: "what is asked for", isRequired: true, words: CtlOptions.requests)),
            .operand(CommandOperand(name: "WORD", meaning: "what the request is about", repeats: true)),
        ],
        description: [
            "Asks a running host of this user, or tells it what to do. Root may ask every host.",
            "status: what there is to know. top: the same, every second, until q is pressed. state [POINTER]: the state, or what is at a JSON Pointer in it. watch [TYPE...]: each action as it is processed, or those of types such as orders/*. metrics: numbers for Prometheus. hosts: the hosts that run.",
            "dispatch TYPE [JSON]: process an action with this payload, and all that it leads to; dispatch ACTION one that is written as a JSON object, dispatch - those on standard input, one JSON object a line. open ID, close ID: move the gate of an instance; also gate ID open|close. release NAME: let an instance, a plugin or a digest out of quarantine. plan: what a reload would change. reload: read the configuration again. stop: end the run in good order, and wait for its end.",
            "dead-letters: actions that came to nothing, oldest first: what an instance could not read, might not emit, emitted too late or has not done. redispatch ID...: process the actions of these once more, as if they were dispatched now, for all who hear them; a letter is gone when it was processed.",
        ],
        exits: [
            (.success, "done"), (.usage, "the host refused what was asked for"),
            (.badData, "it reported bad data, or has nothing there"), (.unavailable, "no host answers"),
            (.givenUp, "it is busy, or let go of a reader that does not read"),
            (.configuration, "a reload was refused"),
        ])

    /// Where a journal is that a command looks at.
    private static let journal = Command.Part.options([
        CommandOption(
            name: "--journal", placeholder: "DIR", expected: "the folder of a journal",
            meaning: "the journal in a folder (default: the one that the configuration names)",
            completion: .folder)
    ])

    /// A configuration with something to say about what it is for.
    private static func configuration(_ meaning: String) -> Command.Part {
        .options([
            CommandOption(
                name: "--config", placeholder: "FILE", expected: "a configuration file", meaning: meaning,
                completion: .file)
        ])
    }

    /// `gatehouse history`.
    static let history = Command(
        name: "history", summary: "show what a journal tells about the past",
        parts: [
            configuration("the configuration that names the journal (default plugins.json)"), journal,
            .options([
                CommandOption(
                    name: "--type", placeholder: "TYPE",
                    expected: "an action type, or a pattern such as orders/*",
                    meaning: "only actions of this type, or of those below a pattern such as orders/*")
            ]),
            .options([
                CommandOption(
                    name: "--instance", placeholder: "ID", expected: "the id of an instance",
                    meaning: "only what this instance emitted")
            ]),
            .options([
                CommandOption(
                    name: "--from", placeholder: "WHERE",
                    expected: "the number of an action, or a moment such as 2026-01-31T12:00:00Z",
                    meaning:
                        "from this action on: its number, or when it was written down, such as 2026-01-31T12:00:00Z"
                )
            ]),
            .options([
                CommandOption(
                    name: "--to", placeholder: "WHERE",
                    expected: "the number of an action, or a moment such as 2026-01-31T12:00:00Z",
                    meaning: "up to this action"),
                CommandOption(
                    name: "--follow",
                    meaning: "go on with what a running host writes, until it is interrupted"),
            ]),
            .options([
                CommandOption(
                    name: "--last", placeholder: "N", expected: "a number from 1 on",
                    meaning:
                        "only the newest N of them (default on a terminal: 20, where neither --from nor --to says otherwise)"
                ),
                CommandOption(
                    name: "--causes", placeholder: "N", expected: "the number of an action, such as 1042",
                    meaning: "the action N, all that led to it, and all that it led to"),
            ]),
            .options([CommandOption(name: "--payload", meaning: "show payloads too")]),
            .options([
                CommandOption(name: "--tree", meaning: "show each action below the one that led to it"),
                json("print one JSON object a line"),
            ]),
        ],
        description: [
            "Shows the actions that reached the reducers, in that order: number, moment, type, and what led to each: a line of an input, or the answer, effect or own change of an instance while an action with some number was in hand. Only reads, also beside the host that writes the journal."
        ],
        exits: [
            (.success, "done"),
            (.badData, "the journal cannot be read, a part of it is missing, or it has no such action"),
            (.configuration, "the configuration is wrong or names no journal"),
        ])

    /// `gatehouse state`.
    static let state = Command(
        name: "state", summary: "print the state as it was behind an action of the past",
        parts: [
            configuration("the configuration whose plugins read the state (default plugins.json)"), journal,
            .options([
                CommandOption(
                    name: "--at", placeholder: "N",
                    expected: "the number of an action, or 0 for the beginning",
                    meaning: "behind the action N; 0 for the beginning (default: behind the last one)")
            ]),
            .operand(CommandOperand(name: "POINTER", meaning: "only what is at this JSON Pointer")),
        ],
        description: [
            "Takes the newest snapshot before that action, lets the reducers of the configuration go over what came after it, and prints the state as JSON. No middleware hears of it, and nothing is written; works beside a running host."
        ],
        exits: [
            (.success, "done"),
            (.badData, "the journal cannot be read, or has no such action, or the state nothing there"),
            (.pluginRefused, "a plugin was refused"),
            (.configuration, "the configuration is wrong or names no journal"),
        ])

    /// `gatehouse backup`.
    static let backup = Command(
        name: "backup", summary: "copy a journal, also beside the host that writes it",
        parts: [
            configuration("the configuration that names the journal (default plugins.json)"), journal,
            .operand(
                CommandOperand(
                    name: "TARGET", expected: "the file that is made",
                    meaning: "the file that is made; nothing may be there", isRequired: true)),
        ],
        description: [
            "Copies the journal as it is at one moment, reads the copy from beginning to end, and only then gives it its name. To go back to it, stop the host and put it in the place of journal.sqlite in the journal's folder, without the files whose names begin with that."
        ],
        exits: [
            (.success, "the copy is there and whole"),
            (.usage, "something is there already, or the copy cannot be written"),
            (.badData, "the journal cannot be read, or is damaged"),
            (.configuration, "the configuration is wrong or names no journal"),
        ])

    /// `gatehouse replay`.
    static let replay = Command(
        name: "replay", summary: "try a configuration or a library on the actions of a journal",
        parts: [
            configuration("the configuration that is tried (default plugins.json)"), journal,
            .options([
                CommandOption(
                    name: "--with", placeholder: "LIB", expected: "a library file",
                    meaning: "use this library in the place of those with the same plugin id",
                    completion: .file)
            ]),
            .options([
                CommandOption(
                    name: "--against", placeholder: "FILE", expected: "a configuration file",
                    meaning:
                        "the configuration whose reducers make the state to compare with (default: that of --config, without --with)",
                    completion: .file)
            ]),
            .options([
                CommandOption(
                    name: "--from", placeholder: "N", expected: "the number of an action, such as 1042",
                    meaning: "begin with the action N (default: the first that is kept)")
            ]),
            .options([
                CommandOption(
                    name: "--to", placeholder: "N", expected: "the number of an action, such as 1042",
                    meaning: "end with the action N (default: the last one)")
            ]),
            .options([
                CommandOption(
                    name: "--last", placeholder: "N", expected: "the number of an action, such as 1042",
                    meaning: "only the newest N actions")
            ]),
            .options([json()]),
        ],
        description: [
            "Dispatches each action that came in, or came later from an effect, once more to the middlewares of a configuration, compares what follows from it at once with what followed then, and the state in the end with the one to which the recorded actions lead. Effects are not run, and clocks show the time of then. Nothing is written, and data of instances goes to a folder that is removed; works beside a running host.",
            "Actions that are not the same are shown in the order of the record, at most 20 of each kind; --json tells up to 1,000.",
        ],
        exits: [
            (.success, "all is the same"), (.badData, "something differs, or the journal cannot be read"),
            (.pluginRefused, "a plugin was refused"),
            (.internalError, "the result cannot be written, or a plugin ended the process"),
            (.configuration, "a configuration is wrong or names no journal"),
        ])

    /// `gatehouse version`.
    static let version = Command(
        name: "version", summary: "print the version, the SDK fingerprint and the compiler",
        parts: [.options([json()])],
        description: [
            "Prints the version of this host, and what a plugin must have in common with it: ABI number, SDK fingerprint, compiler, target and build configuration."
        ])

    /// `gatehouse help`.
    static let help = Command(
        name: "help", summary: "explain a command",
        parts: [
            .operand(CommandOperand(name: "COMMAND")),
            .options([
                CommandOption(name: "--man", isHidden: true), CommandOption(name: "--names", isHidden: true),
                CommandOption(
                    name: "--completions", placeholder: "SHELL",
                    choices: CompletionScript.Shell.allCases.map { ($0.rawValue, "") }, isHidden: true),
            ]),
        ],
        description: ["Explains a command, or lists them all."])
}
