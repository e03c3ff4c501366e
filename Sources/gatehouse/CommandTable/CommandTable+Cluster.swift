// SPDX-License-Identifier: Apache-2.0

// Looking at a cluster, and changing it, whether a member runs or not.

extension CommandTable {
    /// `gatehouse cluster`.
    static let cluster = Command(
        name: "cluster", type: ClusterCommand.self,
        summary: "inspect and change a cluster through its engine",
        parts: [
            configuration("the configuration that names the cluster (default plugins.json)"),
            .options([json()]),
            .options([
                CommandOption(
                    name: "--limit", placeholder: "N", expected: "a number from 1 on",
                    meaning: "dead-letters, history: only the newest N (default 100)",
                    requests: ["dead-letters", "history"]),
                CommandOption(
                    name: "--show", placeholder: "LETTER", expected: "the name of a dead letter",
                    meaning: "dead-letters: only this one, with its action", requests: ["dead-letters"]),
            ]),
            .option(
                "--key", "KEY", expected: "a key",
                meaning: "history: only actions with this key", requests: ["history"]),
            .option(
                "--at", "OFFSET", expected: "the offset of an action",
                meaning: "state: after the action at this offset, as history shows it", requests: ["state"]),
            .option(
                "--with", "LIB", expected: "a library file",
                meaning: "replay: try this library instead of those with the same plugin id",
                completion: .file, requests: ["replay"]),
            .option(
                "--against", "FILE", expected: "a configuration file",
                meaning: "replay: compare with what this configuration makes of the actions",
                completion: .file, requests: ["replay"]),
            .option(
                "--discard", "ID", expected: "the id of an instance",
                meaning: "resize, import: start this instance from scratch in all partitions",
                isRepeatable: true,
                requests: ["resize", "import"]),
            .option(
                "--dry-run", meaning: "resize, import, resume: only print what would be done",
                requests: ["resize", "import", "resume"]),
            .operand(
                "REQUEST", expected: "one of \(ClusterCommand.requests.joined(separator: ", "))",
                meaning: "the request", isRequired: true, words: ClusterCommand.requests),
            .operand("WORD", meaning: "an argument of the request", repeats: true),
        ],
        description: [
            "Talks to the engine of the cluster that the configuration names, not to a host, so it also works when no member is running. For a member's own view, see gatehouse ctl cluster.",
            "status: members, and partitions that lag or have no live owner. where KEY...: the partitions of keys, their owners, and how many actions wait there, in all and of the key. state PARTITION [POINTER]: the state of a partition as its last checkpoint has it, or with --at as it was after an action of the history. replay PARTITION: let a library, or this configuration, and what it is compared with process the past of a partition as far as the engine has it, and print where they differ. history [PARTITION]: the newest actions of a partition, or with --key of a key, that the engine has, oldest first; it keeps them for as many seconds as \"history\" in \"cluster\" says, and those that wait in any case. dead-letters: actions set aside because they repeatedly brought down their hosts, oldest first; a letter is named by its partition and its offset there, such as 7:1795318121367-0. redispatch LETTER...: append these actions again, after all others with their keys; remove LETTER...: delete them.",
            "resize PARTITIONS: change the number of partitions while no member is running. Waiting actions move to the partitions of their keys. For the state of an instance, \"split\" in the configuration names the objects whose members are keys; each member moves to the partition of its key, and everything else must be the same in all partitions. The result is written beside the old data and replaces it in one step at the end; an interrupted resize does no harm.",
            "import CONFIG: take everything along from the cluster, or else the journal, that another configuration names, such as a copy of this one from before its \"engine\" was changed, while no member or host is running. The new cluster must be new or empty; the old one is left as it was.",
            "resume: a member that finds that the engine has lost what it had confirmed halts the cluster: all members end with 76, and none joins. Restore the engine's newest copy and start them again. Where there is none, resume lists what the members miss, and lets them continue without it.",
        ],
        exits: [
            (.success, "done"), (.usage, "there is no such dead letter"),
            (
                .badData,
                "the cluster cannot be resized as it is, the engine has no such past, or something differs in it"
            ),
            (.unavailable, "the engine does not answer, or has no such cluster"),
            (.pluginRefused, "state --at, replay: a plugin was refused"),
            (
                .internalError,
                "state --at, replay: a plugin ended the process, or the result cannot be written"
            ),
            (.givenUp, "members are running"), (.clusterHalted, "the cluster is halted"),
            (.configuration, "the configuration is wrong or names no cluster"),
        ])
}
