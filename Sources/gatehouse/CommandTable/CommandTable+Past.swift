// SPDX-License-Identifier: Apache-2.0

// Looking at what a journal keeps.

extension CommandTable {
    /// Where a journal is that a command looks at.
    private static let journal = Command.Part.option(
        "--journal", "DIR", expected: "the folder of a journal",
        meaning: "the journal in a folder (default: the one that the configuration names)",
        completion: .folder)

    /// `gatehouse history`.
    static let history = Command(
        name: "history", type: HistoryCommand.self, summary: "show the actions that a journal has recorded",
        parts: [
            configuration("the configuration that names the journal (default plugins.json)"), journal,
            .option(
                "--type", "TYPE", expected: "an action type, or a pattern such as orders/*",
                meaning: "only actions of this type, or of types matching a pattern such as orders/*"),
            .option(
                "--instance", "ID", expected: "the id of an instance",
                meaning: "only what this instance emitted"),
            .option(
                "--text", "TEXT", expected: "a text",
                meaning: "only actions whose JSON contains TEXT, in upper or lower case"),
            .option(
                "--from", "WHERE",
                expected: "the number of an action, or a moment such as 2026-01-31T12:00:00Z",
                meaning:
                    "from this action on: its number, or the time it was recorded, such as 2026-01-31T12:00:00Z"
            ),
            .options([
                CommandOption(
                    name: "--to", placeholder: "WHERE",
                    expected: "the number of an action, or a moment such as 2026-01-31T12:00:00Z",
                    meaning: "up to this action"),
                CommandOption(
                    name: "--follow", meaning: "keep printing what a running host writes, until interrupted"),
            ]),
            .options([
                CommandOption(
                    name: "--last", placeholder: "N", expected: "a number from 1 on",
                    meaning:
                        "only the newest N of them (default on a terminal: 20, unless --from or --to is given)"
                ),
                CommandOption(
                    name: "--causes", placeholder: "N", expected: "the number of an action, such as 1042",
                    meaning: "the action N, all that led to it, and all that it led to"),
            ]),
            .option("--payload", meaning: "show payloads too"),
            .options([
                CommandOption(name: "--tree", meaning: "show each action below the one that led to it"),
                json("print one JSON object a line"),
            ]),
        ],
        description: [
            "Shows the actions that reached the reducers, in that order: number, time, type, and the cause of each: a line of an input, or an output, effect or own change of an instance during the action with the given number. Read-only; works while a host is writing the journal."
        ],
        exits: [
            (.success, "done"),
            (.badData, "the journal cannot be read, a part of it is missing, or it has no such action"),
            (.configuration, "the configuration is wrong or names no journal"),
        ])

    /// `gatehouse state`.
    static let state = Command(
        name: "state", type: StateCommand.self, summary: "print the state as of a past action",
        parts: [
            configuration("the configuration whose plugins read the state (default plugins.json)"), journal,
            .option(
                "--at", "N", expected: "the number of an action, or 0 for the beginning",
                meaning: "after the action N; 0 for the beginning (default: after the last one)"),
            .operand("POINTER", meaning: "only what is at this JSON Pointer"),
        ],
        description: [
            "Takes the newest snapshot before that action, runs the configuration's reducers over the actions since then, and prints the state as JSON. No middleware runs, and nothing is written; works beside a running host."
        ],
        exits: [
            (.success, "done"),
            (
                .badData,
                "the journal cannot be read or has no such action, or the state has nothing at POINTER"
            ),
            (.pluginRefused, "a plugin was refused"),
            (.configuration, "the configuration is wrong or names no journal"),
        ])

    /// `gatehouse backup`.
    static let backup = Command(
        name: "backup", type: BackupCommand.self, summary: "copy a journal, even while a host is writing it",
        parts: [
            configuration("the configuration that names the journal (default plugins.json)"), journal,
            .operand(
                "TARGET", expected: "the file to create",
                meaning: "the file to create; it must not exist yet", isRequired: true),
        ],
        description: [
            "Copies the journal as of one moment, reads the copy from beginning to end, and only then gives it its name. gatehouse restore replaces the journal with it."
        ],
        exits: [
            (.success, "the copy is complete and undamaged"),
            (.usage, "the file exists already, or cannot be written"),
            (.badData, "the journal cannot be read, or is damaged"),
            (.configuration, "the configuration is wrong or names no journal"),
        ])

    /// `gatehouse restore`.
    static let restore = Command(
        name: "restore", type: RestoreCommand.self, summary: "replace a journal with a backup",
        parts: [
            configuration("the configuration that names the journal (default plugins.json)"), journal,
            .operand(
                "FILE", expected: "a file made by gatehouse backup",
                meaning: "the backup; it is left unchanged", isRequired: true),
        ],
        description: [
            "Reads the backup from beginning to end before it changes anything, and refuses while a host uses the journal. The old journal stays in the folder, as journal.sqlite.before-restore- and the time. No host starts on the journal until the restore is complete; after an interruption, run the command again."
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
        name: "replay", type: ReplayCommand.self,
        summary: "replay a journal's actions against a configuration or library",
        parts: [
            .operand(
                "FILE", expected: "a file of actions",
                meaning:
                    "replay these lines instead of a journal: as gatehouse history --json prints them, as the console exports them, or actions; - is standard input",
                completion: .file),
            configuration("the configuration to try (default plugins.json)"), journal,
            .option(
                "--with", "LIB", expected: "a library file",
                meaning: "use this library instead of those with the same plugin id", completion: .file),
            .option(
                "--against", "FILE", expected: "a configuration file",
                meaning: "compare with what this configuration makes of the actions, and not with the record",
                completion: .file),
            .option(
                "--from", "N", expected: "the number of an action, such as 1042",
                meaning: "start with the action N (default: the oldest one kept)"),
            .option(
                "--to", "N", expected: "the number of an action, such as 1042",
                meaning: "end with the action N (default: the last one)"),
            .option(
                "--last", "N", expected: "the number of an action, such as 1042",
                meaning: "only the newest N actions"),
            .options([json()]),
        ],
        description: [
            "Dispatches each input, and each action that an effect emitted later, to the middlewares of a configuration again; compares its immediate outputs with the recorded ones, and the final state with the one that the recorded actions lead to. Where something differs, does all of it once more, and names what is not deterministic. Effects are not run, and clocks show the recorded time. Nothing is written, and data of instances goes to a temporary folder; works beside a running host.",
            "Lines of a FILE are the whole past: they begin with the initial state, their actions are numbered from 1 on, and nothing is replayed if one is wrong. Where one is an action alone, what followed is not known: --against then names a configuration to compare with, or --with a library to compare with the one in use.",
            "Differing actions are shown in recorded order, at most 20 of each kind; --json prints up to 1,000.",
        ],
        exits: [
            (.success, "nothing differs"),
            (.usage, "FILE cannot be read, or there is nothing to compare it with"),
            (.badData, "something differs, or the journal cannot be read, or lines of FILE are wrong"),
            (.pluginRefused, "a plugin was refused"),
            (.internalError, "the result cannot be written, or a plugin ended the process"),
            (.configuration, "a configuration is wrong or names no journal"),
        ])
}
