// SPDX-License-Identifier: Apache-2.0

// Running actions through the chain.

extension CommandTable {
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
                        "stop at the first bad line or payload with exit code 65, end with it when an instance failed, and refuse plugins that their group may write to"
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
                    name: "--reduce-with-present",
                    meaning:
                        "after a crash, let the present configuration reduce actions whose own generation cannot run here any more"
                )
            ]),
            .options([
                CommandOption(
                    name: "--strict-start",
                    meaning:
                        "end a service whose configuration is refused, instead of running the last good generation from its journal"
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
}
