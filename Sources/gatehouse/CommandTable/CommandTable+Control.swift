// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

// Asking a host that runs.

extension CommandTable {
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
            .options([
                CommandOption(
                    name: "--catch-up",
                    meaning:
                        "release: first let the reducers go over what the instances have missed, in a child process; what ends that refuses the release"
                )
            ]),
            .options([CommandOption(name: "--once", meaning: "top: print one page, without a terminal")]),
            .options([
                CommandOption(
                    name: "--limit", placeholder: "N", expected: "a number from 1 on",
                    meaning: "dead-letters: only the newest N"),
                CommandOption(
                    name: "--show", placeholder: "ID", expected: "the number of a dead letter",
                    meaning: "dead-letters: only this one, with its action"),
                CommandOption(
                    name: "--all",
                    meaning:
                        "redispatch, discard: every dead letter, or those of a --kind; cluster: every partition"
                ),
            ]),
            .options([
                CommandOption(
                    name: "--action", placeholder: "ACTION", expected: "an action, or - for standard input",
                    meaning: "redispatch: dispatch this action in place of the one that was kept"),
                CommandOption(
                    name: "--kind", placeholder: "KIND",
                    expected: DeadLetter.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                    meaning:
                        "dead-letters, redispatch --all, discard --all: only those of a kind: \(DeadLetter.Kind.allCases.map(\.rawValue).joined(separator: ", "))"
                ),
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
            "dispatch TYPE [JSON]: process an action with this payload, and all that it leads to; dispatch ACTION one that is written as a JSON object, dispatch - those on standard input, one JSON object a line. open ID, close ID: move the gate of an instance; also gate ID open|close. release NAME: let an instance, a plugin or a digest out of quarantine; what its instances have missed is skipped, unless --catch-up is given. plan: what a reload would change. reload: read the configuration again. stop: end the run in good order, and wait for its end.",
            "cluster: the members and partitions of the cluster that the host is in. cluster drain HOST: let a member hand its partitions over and take none; cluster undrain HOST: let it take some again. cluster reload: let all members read their configurations again, one after the other.",
            "dead-letters: actions that came to nothing, oldest first: what an instance could not read, might not emit, emitted too late or has not done, and what only instances in quarantine would have heard. redispatch ID...: process the actions of these once more, as if they were dispatched now, for all who hear them; a letter is gone when it was processed. With --action another one is processed in its place. discard ID...: throw letters away.",
        ],
        exits: [
            (.success, "done"), (.usage, "the host refused what was asked for"),
            (.badData, "it reported bad data, or has nothing there"), (.unavailable, "no host answers"),
            (.givenUp, "it is busy, or let go of a reader that does not read"),
            (.configuration, "a reload was refused"),
        ])
}
