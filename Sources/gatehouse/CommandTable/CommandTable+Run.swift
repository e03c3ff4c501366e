// SPDX-License-Identifier: Apache-2.0

// Running actions through the chain.

extension CommandTable {
    /// `gatehouse run`.
    static let run = Command(
        name: "run", type: RunCommand.self, summary: "read actions, one JSON object a line, and run them",
        parts: [
            source,
            .option(
                "--input", "FILE", expected: "a file, or - for standard input",
                meaning:
                    "the actions; - for standard input, which is read when no other input is named; may be given several times",
                completion: .file, isRepeatable: true),
            .option(
                "--tail", "FILE", expected: "a file to follow",
                meaning:
                    "a file to follow, also when it is rotated, resuming where the last run stopped; may be given several times",
                completion: .file, isRepeatable: true),
            .option(
                "--listen", "ADDRESS", expected: "an address such as unix:in.sock",
                meaning:
                    "where writers connect, such as unix:in.sock; with ?ack appended they receive acknowledgements; may be given several times",
                isRepeatable: true),
            .option(
                "--print", "WHAT",
                choices: [
                    ("state", "the final state as JSON (default)"),
                    ("actions", "each action as it is processed, one JSON object a line"),
                    ("none", "nothing"),
                ], meaning: "what is printed"),
            .options([
                CommandOption(
                    name: "--wrap", placeholder: "TYPE", expected: "the type of the action of each line",
                    meaning: "each line, any JSON, is the payload of an action of this type"),
                CommandOption(
                    name: "--wrap-at", placeholder: "POINTER",
                    expected: "where each line has the type of its action, as a JSON Pointer",
                    meaning: "the same, with the type read from the line at a JSON Pointer"),
            ]),
            .options([
                CommandOption(
                    name: "--strict",
                    meaning:
                        "stop at the first bad line or payload with exit code 65, exit with it if an instance failed, and refuse group-writable plugins"
                ),
                CommandOption(
                    name: "--max-rejected", placeholder: "N",
                    expected: "a number of lines, or a percentage such as 2%",
                    meaning:
                        "stop when more than N lines are rejected or refused; N% is checked at the end; both end with exit code 65"
                ),
            ]),
            .option(
                "--keep-going",
                meaning:
                    "leave out plugins that are refused or missing, run the rest, and end with exit code 69"),
            .option(
                "--accept-loss",
                meaning:
                    "start without actions that can no longer be read from the journal, instead of refusing to start"
            ),
            .option(
                "--reduce-with-present",
                meaning:
                    "after a crash, let the current configuration reduce actions whose own generation can no longer run here"
            ),
            .option(
                "--strict-start",
                meaning:
                    "exit if the configuration of a service is refused, instead of running the last good generation from its journal"
            ),
            .option(
                "--watch",
                meaning:
                    "reload when the configuration or a library has changed; SIGHUP and the action host/reload also trigger a reload"
            ),
            .option(
                "--grace", "SECONDS", expected: "a number of seconds",
                meaning:
                    "how long effects that finish may take at the end (default 10); if any are given up, the exit code is 75"
            ),
            .option(
                "--supervise",
                meaning:
                    "watch the host from a separate process, report which plugin crashed it, and restart it"),
            .option(
                "--watchdog", "SECONDS", expected: "a number of seconds",
                meaning:
                    "how long one call of a plugin may take before it is reported (default 10); 0 for no limit"
            ),
            .option(
                "--debug-worker", "ID", expected: "the id of an instance that runs in a worker",
                meaning:
                    "let the worker of an instance wait for a debugger before it loads its library, and take as long as it likes; may be given several times",
                isRepeatable: true),
            .option("--profile", meaning: "time each action, and report at the end where the time went"),
            .option(
                "--name", "NAME", expected: "the name of a host",
                meaning:
                    "the host's name for gatehouse ctl (default: the name in the configuration, or that of its folder)"
            ),
            .options([
                CommandOption(
                    name: "--control",
                    meaning: "let gatehouse ctl reach the host, whatever the configuration says"),
                CommandOption(name: "--no-control", meaning: "let nobody reach it"),
            ]),
        ],
        description: [
            "Loads the plugins that the configuration names, reads actions from its inputs, one JSON object a line, and runs them. Ends when the inputs and every effect they started are finished, or in good order on SIGINT or SIGTERM; on a second one, at once. A socket it listens at and a file it follows never end."
        ],
        notes: [
            "A bad line is reported on standard error as FILE:LINE:COLUMN: REASON, counted and skipped; when no line is good, the exit code is 65. Of similar reports, the first hundred are shown. Results go to standard output, messages to standard error."
        ],
        exits: [
            (.success, "done"), (.usage, "the command line is invalid, or the input cannot be read"),
            (.badData, "bad data"), (.pluginRefused, "a plugin was refused"),
            (.internalError, "results cannot be written, or a plugin ended the process"),
            (.journalFailed, "the journal cannot be opened, read or written"),
            (.givenUp, "accepted work was left unfinished"),
            (.clusterHalted, "the cluster has lost confirmed data, or is halted"),
            (.superseded, "another process has joined under the member's name"),
            (.configuration, "the configuration is wrong"),
        ])
}
