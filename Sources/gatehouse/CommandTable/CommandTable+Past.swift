// SPDX-License-Identifier: Apache-2.0

// Looking at what a journal keeps.

extension CommandTable {
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
            "Copies the journal as it is at one moment, reads the copy from beginning to end, and only then gives it its name. gatehouse restore puts it in the place of the journal."
        ],
        exits: [
            (.success, "the copy is there and whole"),
            (.usage, "something is there already, or the copy cannot be written"),
            (.badData, "the journal cannot be read, or is damaged"),
            (.configuration, "the configuration is wrong or names no journal"),
        ])

    /// `gatehouse restore`.
    static let restore = Command(
        name: "restore", summary: "put a backup in the place of a journal",
        parts: [
            configuration("the configuration that names the journal (default plugins.json)"), journal,
            .operand(
                CommandOperand(
                    name: "FILE", expected: "a file that gatehouse backup has made",
                    meaning: "the backup; it stays as it is", isRequired: true)),
        ],
        description: [
            "Reads the backup from beginning to end before it changes anything, and refuses while a host uses the journal. The journal from before stays in the folder, as journal.sqlite.before-restore- with the moment. Until all is done no host starts on it; after an interruption, run the command again."
        ],
        exits: [
            (.success, "the next host continues with the backup"),
            (.usage, "there is no such backup, or the folder cannot be written to"),
            (.badData, "the backup is damaged; nothing was changed"),
            (.journalFailed, "a host uses the journal, or a file cannot be written"),
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
}
