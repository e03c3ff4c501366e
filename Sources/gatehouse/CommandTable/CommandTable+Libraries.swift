// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

// What is in a library, and where a new one begins.

extension CommandTable {
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
                    name: "--settings", placeholder: "FILE", expected: "a file with an object",
                    meaning: "the settings of instances, one JSON object (default {})", completion: .file)
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

    /// `gatehouse probe`.
    static let probe = Command(
        name: "probe", summary: "send actions to one plugin, and print what it does with each",
        parts: [
            .operand(
                CommandOperand(
                    name: "FILE", expected: "a library file", meaning: "the plugin", isRequired: true,
                    completion: .file)),
            .options([
                CommandOption(
                    name: "--settings", placeholder: "FILE", expected: "a file with an object",
                    meaning: "the settings of the instance, one JSON object (default {})", completion: .file)
            ]),
            .options([
                CommandOption(
                    name: "--state", placeholder: "FILE", expected: "a file with a state",
                    meaning:
                        "the state that an earlier version has left, such as {\"version\":1,\"state\":{}}",
                    completion: .file)
            ]),
            .options([
                CommandOption(
                    name: "--clock", placeholder: "TIME", expected: "a moment",
                    meaning: "the time when the plugin starts (default 2001-09-09T01:46:40Z)")
            ]),
            .options([
                CommandOption(
                    name: "--limit", placeholder: "SECONDS", expected: "a number of seconds",
                    meaning: "how long the effects of one line may take (default 10)")
            ]),
        ],
        description: [
            "Reads lines of JSON from standard input and answers each with one line on standard output, so that a test in any language can drive a plugin: an action under its local name, such as {\"type\":\"hello\"}; {\"advance\":\"5s\"} moves the clock; {\"gate\":\"bypass\"} and {\"gate\":\"active\"} move the gate. A first line tells what the plugin did when it started, and a last one, at the end of the input, when it was stopped.",
            "An answer comes when all effects of its line have ended, or sleep until the clock is moved. The clock of the host stands still otherwise; threads of a plugin's own and services that it calls take the time that they take. Data of the instance goes to a folder that is removed. What the plugin prints goes to standard error.",
        ],
        notes: [
            "An answer has did (start, action, advance, gate, stop or nothing) and, where there is something to tell: passed, what an interceptor let through; emitted, the actions of the plugin; state, when it has changed; log and reports, lines of the plugin and about it; running, how many effects sleep or go on; error, why the line was not done."
        ],
        exits: [
            (.success, "every line was done, and nothing was reported as wrong"),
            (.usage, "the settings or the state cannot be read"),
            (.badData, "a line was wrong, did not end in time, or led to a report"),
            (.pluginRefused, "the library is refused"),
            (.internalError, "results cannot be written, or the plugin ended the process"),
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
            "Makes a folder NAME with a plugin, its tests, a configuration that gates it by an action, cases for gatehouse test, a sample of input, a Makefile and what CI runs. It builds, passes its tests and loads as it is, here and wherever else it is copied: its Makefile asks the host where the SDK is. The SDK is built once for all plugins, in the user's cache."
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
        parts: [
            .options([
                json(),
                CommandOption(
                    name: "--environment", meaning: "print the variables for building plugins, for a shell"),
            ])
        ],
        description: [
            "Prints the folder of the SDK's sources that were installed with this host, or that it was built from, when its fingerprint is still that of the host. GATEHOUSE_SDK in the environment names another folder. With --json also version, fingerprint and build configuration.",
            "With --environment, eval sets what a build for this host needs: GATEHOUSE_SDK, the folder; GATEHOUSE_MANIFEST_TOOL, the tool that embeds manifests, so that no build has to make it; GATEHOUSE_CONFIGURATION, debug or release, as this host was built; GATEHOUSE_SCRATCH, where SwiftPM builds the SDK once for all plugins.",
        ],
        exits: [(.success, "done"), (.unavailable, "there is no SDK, or another one")])
}
