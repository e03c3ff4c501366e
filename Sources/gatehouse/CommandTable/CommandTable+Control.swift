// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

// Asking a host that runs.

extension CommandTable {
    /// `gatehouse ctl`.
    static let ctl = Command(
        name: "ctl", type: CtlCommand.self, summary: "query and control a running host",
        parts: [
            .options([
                CommandOption(
                    name: "--name", placeholder: "NAME", expected: "the name of a host",
                    meaning: "the host with this name (default: the only one running)"),
                CommandOption(
                    name: "--socket", placeholder: "PATH", expected: "the path of a control socket",
                    meaning: "the host with this control socket", completion: .file),
            ]),
            .options([json("print JSON")]),
            .option(
                "--instance", "ID", expected: "the id of an instance",
                meaning: "watch: only what this instance emits", requests: ["watch"]),
            .option(
                "--state", "POINTER", expected: "a JSON Pointer",
                meaning: "watch: state changes at POINTER, alone or together with actions",
                requests: ["watch"]),
            .option(
                "--turned-away",
                meaning:
                    "watch: also what was stopped, refused, rejected or kept from an instance by its gate, with the reason",
                requests: ["watch"]),
            .option(
                "--expect", "N", expected: "the number of a generation",
                meaning: "reload: only if the generation is still N", requests: ["reload"]),
            .option(
                "--rehearse-with-history", "N", expected: "a number of actions",
                meaning:
                    "reload: first try the new generation on the newest N actions of the journal, in a child process; a crash or hang refuses the reload, differences are reported",
                requests: ["reload"]),
            .option(
                "--strict", meaning: "reload: differences in that rehearsal refuse it too",
                requests: ["reload"]),
            .options([
                CommandOption(
                    name: "--last", placeholder: "N", expected: "a number of actions",
                    meaning: "try: on the newest N actions of the journal (default: all that it keeps)",
                    requests: ["try"]),
                CommandOption(
                    name: "--since", placeholder: "TIME",
                    expected: "a moment such as 2026-01-31T12:00:00Z, or a time such as 24h or 30m",
                    meaning: "try: on the actions recorded since TIME, a moment or a time such as 24h",
                    requests: ["try"]),
            ]),
            .option(
                "--catch-up",
                meaning:
                    "release: first run the reducers over the actions that the instances missed, in a child process; a crash or hang refuses the release",
                requests: ["release"]),
            .option("--once", meaning: "top: print one page, without a terminal", requests: ["top"]),
            .options([
                CommandOption(
                    name: "--limit", placeholder: "N", expected: "a number from 1 on",
                    meaning: "dead-letters: only the newest N", requests: ["dead-letters"]),
                CommandOption(
                    name: "--show", placeholder: "ID", expected: "the number of a dead letter",
                    meaning: "dead-letters: only this one, with its action", requests: ["dead-letters"]),
                CommandOption(
                    name: "--all",
                    meaning:
                        "redispatch, discard: every dead letter, or those of a --kind; cluster: every partition",
                    requests: ["redispatch", "discard", "cluster"]),
            ]),
            .options([
                CommandOption(
                    name: "--action", placeholder: "ACTION", expected: "an action, or - for standard input",
                    meaning: "redispatch: dispatch this action instead of the stored one",
                    requests: ["redispatch"]),
                CommandOption(
                    name: "--kind", placeholder: "KIND",
                    expected: DeadLetter.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                    meaning:
                        "dead-letters, redispatch --all, discard --all: only those of a kind: \(DeadLetter.Kind.allCases.map(\.rawValue).joined(separator: ", "))",
                    requests: ["dead-letters", "redispatch", "discard"]),
            ]),
            .operand(
                "REQUEST", expected: "one of \(ControlRequest.words.joined(separator: ", "))",
                meaning: "the request", isRequired: true, words: ControlRequest.words),
            .operand("WORD", meaning: "an argument of the request", repeats: true),
        ],
        description: [
            "Queries or controls a running host of this user. Root may address any host.",
            "status: an overview of the host. top: the same, refreshed every second until q is pressed. state [POINTER]: the state, or its value at a JSON Pointer. watch [TYPE...]: each action as it is processed, or only types such as orders/*. hour [ID...]: the numbers of the last hour, sampled every ten seconds, of the host and its instances, with reloads, moves of gates, deaths of workers and quarantines. costs [MINUTES]: the time of the newest minutes, 60 if not given, by instance and stage. effects [ID...]: the effects of actions that are under way, with their attempts. now ID: end the pauses of an instance, such as those before another attempt. entry ID: the entry of an instance as it runs, with its settings. generations ID [COUNT]: the newest generations in which an instance changed, 20 if not given, from the journal. graph: which instances emit what others hear, by type. metrics: metrics for Prometheus. hosts: the running hosts.",
            "dispatch TYPE [JSON]: process an action with this payload, and everything it leads to; dispatch ACTION takes an action written as a JSON object, dispatch - reads actions from standard input, one JSON object a line. open ID, close ID: move the gate of an instance; also gate ID open|close. release NAME: release an instance, a plugin or a digest from quarantine; the actions that its instances missed are skipped, unless --catch-up is given. plan: what a reload would change. reload: read the configuration again. upgrade [PROGRAM]: let the installed program, or another one, go on for the host, without a gap. stop: end the run in good order, and wait until it has ended.",
            "try FILE: try a library or a configuration on recorded actions beside what runs, in a confined child process without effects and network, and show what differs. swap DIGEST: put the candidate with this digest in the place of what runs, by a reload; only the bytes that were tried, and only while nothing else has changed. shadow [ID]: how shadows agree with the instances whose actions they hear, and what differs.",
            "cluster: the members and partitions of the host's cluster. cluster drain HOST: make a member hand over its partitions and take no more; cluster undrain HOST: let it take partitions again. cluster reload: make all members read their configurations again, one after the other.",
            "dead-letters: actions that were not carried out, oldest first: those that an instance could not read, was not allowed to emit, emitted too late or did not do, and those that only instances in quarantine would have heard. redispatch ID...: process these actions again, as if they were dispatched now, for every instance that hears them; a processed letter is removed. With --action, another action is processed instead. discard ID...: delete letters.",
        ],
        exits: [
            (.success, "done"), (.usage, "the host refused the request"),
            (
                .badData,
                "it reported bad data, has nothing at POINTER, or a tried candidate or a shadow differs"
            ),
            (.unavailable, "no host answers"),
            (
                .givenUp,
                "it is busy, disconnected a watcher that did not read, or goes on because the new program failed"
            ),
            (.configuration, "a reload or a candidate was refused"),
        ])
}
