// SPDX-License-Identifier: Apache-2.0

// Looking at a cluster, and changing it, whether a member runs or not.

extension CommandTable {
    /// `gatehouse cluster`.
    static let cluster = Command(
        name: "cluster", summary: "look at a cluster through its engine, and change it",
        parts: [
            .options([
                CommandOption(
                    name: "--config", placeholder: "FILE", expected: "a configuration file",
                    meaning: "the configuration that names the cluster (default plugins.json)",
                    completion: .file)
            ]),
            .options([json()]),
            .options([
                CommandOption(
                    name: "--limit", placeholder: "N", expected: "a number from 1 on",
                    meaning: "dead-letters: only the newest N (default 100)"),
                CommandOption(
                    name: "--show", placeholder: "LETTER", expected: "the name of a dead letter",
                    meaning: "dead-letters: only this one, with its action"),
            ]),
            .options([
                CommandOption(
                    name: "--discard", placeholder: "ID", expected: "the id of an instance",
                    meaning: "resize: let this instance begin anew in all partitions", isRepeatable: true)
            ]),
            .options([CommandOption(name: "--dry-run", meaning: "resize: only say what would be done")]),
            .operand(
                CommandOperand(
                    name: "REQUEST", expected: "one of \(ClusterOptions.requests.joined(separator: ", "))",
                    meaning: "what is asked for", isRequired: true, words: ClusterOptions.requests)),
            .operand(CommandOperand(name: "WORD", meaning: "what the request is about", repeats: true)),
        ],
        description: [
            "Speaks to the engine of the cluster that the configuration names, and to no host, so that it also works when no member runs. See gatehouse ctl cluster for what a member knows.",
            "status: members, and partitions that nobody processes or that are behind. dead-letters: actions that were set aside because they have ended their hosts again and again, oldest first; a letter is named by its partition and its place there, such as 7:1795318121367-0. redispatch LETTER...: put the actions of these behind all others of their keys; remove LETTER...: forget them.",
            "resize PARTITIONS: divide what the cluster has among another number of partitions, while no member is there. Actions that wait go to where their keys belong. Of the state of an instance, \"split\" in the configuration says which objects have keys as the names of their members; each member goes where its key belongs, and everything else must be the same in all partitions. All is written beside what there is, and takes its place at once in the end; what has come to nothing in between does no harm.",
        ],
        exits: [
            (.success, "done"), (.usage, "there is no such dead letter"),
            (.badData, "the cluster cannot be resized as it is"),
            (.unavailable, "the engine does not answer, or has no such cluster"),
            (.givenUp, "members are there"),
            (.configuration, "the configuration is wrong or names no cluster"),
        ])
}
