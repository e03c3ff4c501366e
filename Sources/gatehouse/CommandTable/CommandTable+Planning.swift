// SPDX-License-Identifier: Apache-2.0

// What comes of a configuration, and whether it does what it should.

extension CommandTable {
    /// `gatehouse check`.
    static let check = Command(
        name: "check", type: CheckCommand.self,
        summary: "report every problem in the configuration and its plugins",
        parts: [
            source,
            .option(
                "--rehearse", meaning: "also try the plugins in a child process, up to where they would start"
            ),
            .option("--strict", meaning: "refuse group-writable plugins"),
            .options([json("print the findings as one JSON object instead of text")]),
        ],
        description: [
            "Checks the configuration and the libraries that it names, as run does before it starts. Loads nothing, so no plugin code runs, unless --rehearse is given."
        ],
        exits: [
            (.success, "the host can start"), (.pluginRefused, "a plugin would be refused"),
            (.configuration, "the configuration is wrong"),
        ])

    /// `gatehouse list`.
    static let list = Command(
        name: "list", type: ListCommand.self,
        summary: "show the instances in chain order, and what was left out",
        parts: [source, .options([json()])],
        description: [
            "Shows the instances in chain order: plugin, library, gate, what each hears and emits, and where its slice is; then the libraries in the folder that take no part. Loads nothing. Refused plugins are shown with the reasons."
        ],
        exits: check.exits)

    /// `gatehouse plan`.
    static let plan = Command(
        name: "plan", type: PlanCommand.self, summary: "show who hears and emits what",
        parts: [
            source,
            .options([
                json(), CommandOption(name: "--graph", meaning: "print a graph in the DOT language"),
            ]),
            .operand(
                "TYPE",
                meaning: "only the route of this type, or of types matching a pattern such as orders/*"),
        ],
        description: [
            "Shows what would run, in which order, and for each action type who emits it and who hears it, behind which gate, as manifests and configuration declare it. Loads nothing."
        ],
        exits: check.exits)

    /// `gatehouse pin`.
    static let pin = Command(
        name: "pin", type: PinCommand.self,
        summary: "print how to vouch for libraries that nobody has signed",
        parts: [
            source, .options([json("print an array of objects instead of text")]),
            .operand("ID", meaning: "only the library of this instance", repeats: true),
        ],
        description: [
            "Prints, for each library that would run and that neither a key of \"trust\" nor an entry vouches for, what to write in the configuration: \"sha256\" with the digests of the library and of all that it brings along. Where the configuration has no \"trust\", for each library that no entry pins. Changes nothing, and loads nothing."
        ],
        exits: [
            (.success, "done"), (.usage, "an id waits for nobody"),
            (.configuration, "the configuration cannot be read"),
        ])

    /// `gatehouse test`.
    static let test = Command(
        name: "test", type: TestCommand.self, summary: "run a configuration's test cases",
        parts: [
            configuration("the configuration, instead of the one that a file of cases names"),
            .option(
                "--limit", "SECONDS", expected: "a number of seconds",
                meaning: "how long the effects of one step may take (default 10)"),
            .option(
                "--placement", "WHERE",
                choices: [
                    ("host", "all instances run in the host, whatever the configuration says (default)"),
                    (
                        "worker",
                        "each runs in a worker that can, unless the case stubs its effects or sets the clock"
                    ),
                ], meaning: "where instances run"),
            .options([json("print the results as one JSON object instead of text")]),
            .operand(
                "FILE",
                meaning:
                    "the cases (default: those beside the configuration, plugins.test.json beside plugins.json)",
                repeats: true, completion: .file),
        ],
        description: [
            "Runs the cases of each file, one after the other, each on a fresh host: actions in, actions and state expected. Time stands still unless a case moves it, data of instances goes to a temporary folder, and neither state file nor sockets are touched. Effects are real unless a case stubs them.",
            "Prints each case in one line, and for a failed one where and what differs: - what was expected, + what was found.",
        ],
        exits: [
            (.success, "all cases have passed"), (.badData, "a case has failed"),
            (.pluginRefused, "a plugin was refused"),
            (.internalError, "results cannot be written, or a plugin ended the process"),
            (.configuration, "a file of cases or a configuration is wrong"),
        ])
}
