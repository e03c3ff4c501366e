// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What a shell offers, from the scripts that the built program writes.
@Suite(.timeLimit(.minutes(10))) struct CompletionTests {
    /// The script for a shell.
    private func script(_ shell: String) throws -> String {
        let outcome = try ChildProcess.run(arguments: ["help", "--completions", shell])
        #expect(outcome.exitCode == 0 && outcome.errors == "")
        return outcome.output
    }

    /// A folder with the script for a shell, below a name that the shell looks for, and `files`, which has a file and a folder.
    private func folder(_ shell: String, script name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(script(shell), to: name)
        _ = try folder.makeFolder("files")
        _ = try folder.makeFolder("files/plugins with space")
        try folder.write("{}", to: "files/plugins.json")
        return folder
    }

    /// What bash offers after these words, the last of which is being written.
    private func offers(_ words: [String]) throws -> [String] {
        let folder = try folder("bash", script: "script")
        let text = """
            source "\(folder("script"))" && cd "\(folder("files"))" || exit
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            _gatehouse
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try ChildProcess.run(
            "/bin/bash", arguments: ["--norc", "-c", text, "bash"] + words, in: folder.path)
        #expect(outcome.errors == "")
        return outcome.output.split(separator: "\n").map(String.init).sorted()
    }

    @Test(arguments: [
        (
            ["gatehouse", ""],
            [
                "add", "backup", "check", "cluster", "ctl", "help", "history", "index", "inspect", "list",
                "new", "outdated", "pin",
                "plan",
                "probe", "replay", "restore",
                "run", "sdk", "sign",
                "state", "test", "validate", "version",
            ]
        ),
        (["gatehouse", "ch"], ["check"]),
        (["gatehouse", "run", "--pr"], ["--print", "--profile"]),
        (["gatehouse", "run", "--print", ""], ["actions", "none", "state"]),
        (["gatehouse", "run", "--print", "=", "st"], ["state"]),
        (["gatehouse", "run", "--print", "="], ["actions", "none", "state"]),
        (["gatehouse", "run", "--config", "plug"], ["plugins with space", "plugins.json"]),
        (["gatehouse", "run", "--plugins", "plug"], ["plugins with space"]),
        (["gatehouse", "run", "--grace", ""], []),
        (["gatehouse", "inspect", "plugins."], ["plugins.json"]),
        (["gatehouse", "plan", "--g"], ["--graph"]),
        (["gatehouse", "help", "in"], ["index", "inspect"]),
        (["gatehouse", "ctl", "st"], ["state", "status", "stop"]),
        (["gatehouse", "ctl", "--n"], ["--name"]),
        (["gatehouse", "fly", ""], []),
    ])
    func `bash offers what may stand there`(words: [String], expected: [String]) throws {
        #expect(try offers(words) == expected)
    }

    /// What zsh offers at the end of a line, when somebody presses the tabulator: another zsh does, in a terminal of its own.
    private func zshOffers(_ line: String) throws -> [String] {
        let folder = try folder("zsh", script: "_gatehouse")
        let text = #"""
            zmodload zsh/zpty
            zpty inner zsh -f -i
            zpty -w inner "PS1=; fpath=(${(q)1} \$fpath); cd ${(q)1}/files"
            zpty -w inner 'autoload -Uz compinit; compinit -u -D; bindkey "^I" complete-word'
            zpty -w inner 'compadd() {
                local -a offers
                if (( ! ${@[(I)-[OAD]*]} )); then
                    builtin compadd -A offers "$@"
                    for offer in $offers; do print -r -- "OFFER ${IPREFIX}$offer"; done
                fi
                builtin compadd "$@"
            }
            finish() { print END }
            comppostfuncs=(finish)
            print BE""GIN'
            while zpty -r inner line; do [[ $line == *BEGIN* ]] && break; done
            zpty -w -n inner "$2"$'\t'
            while zpty -r inner line; do
                [[ $line == *END* ]] && break
                [[ $line == *OFFER* ]] && print -r -- ${${line##*OFFER }%%$'\r'*}
            done
            zpty -d inner
            """#
        let outcome = try ChildProcess.run(
            "/usr/bin/env", arguments: ["zsh", "-f", "-c", text, "zsh", folder.path, line], in: folder.path,
            environment: ["TERM": "dumb", "HOME": folder.path])
        #expect(outcome.errors == "")
        return Set(outcome.output.split(separator: "\n").map(String.init)).sorted()
    }

    @Test(
        .enabled(if: Workshop.has("zsh"), "needs zsh"),
        arguments: [
            (
                "gatehouse ",
                [
                    "add", "backup", "check", "cluster", "ctl", "help", "history", "index", "inspect", "list",
                    "new", "outdated", "pin",
                    "plan",
                    "probe", "replay", "restore",
                    "run",
                    "sdk", "sign", "state", "test", "validate", "version",
                ]
            ),
            ("gatehouse ch", ["check"]),
            ("gatehouse run --pr", ["--print", "--profile"]),
            ("gatehouse run --print ", ["actions", "none", "state"]),
            ("gatehouse run --print=st", ["--print=state"]),
            ("gatehouse run --config plug", ["plugins.json", "plugins\\ with\\ space"]),
            ("gatehouse run --plugins plug", ["plugins\\ with\\ space"]),
            ("gatehouse run --config a --plu", []),
            ("gatehouse run --input a --inp", ["--input"]),
            ("gatehouse run --grace ", []),
            ("gatehouse inspect plugins.", ["plugins.json"]),
            ("gatehouse plan --g", ["--graph"]),
            ("gatehouse help in", ["index", "inspect"]),
            ("gatehouse ctl st", ["state", "status", "stop"]),
            ("gatehouse ctl --n", ["--name"]),
            ("gatehouse ctl plan st", []),
            ("gatehouse fly ", []),
        ])
    func `zsh offers what may stand there`(line: String, expected: [String]) throws {
        #expect(try zshOffers(line) == expected)
    }

    /// What fish offers at the end of a line, without what it says about it.
    private func fishOffers(_ line: String) throws -> [String] {
        let folder = try folder("fish", script: "script")
        let outcome = try ChildProcess.run(
            "/usr/bin/env",
            arguments: ["fish", "--no-config", "-c", "source ../script; complete -C \"$argv\"", line],
            in: folder("files"), environment: ["HOME": folder.path])
        #expect(outcome.errors == "")
        return outcome.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }.sorted()
    }

    @Test(
        .enabled(if: Workshop.has("fish"), "needs fish"),
        arguments: [
            (
                "gatehouse ",
                [
                    "add", "backup", "check", "cluster", "ctl", "help", "history", "index", "inspect", "list",
                    "new", "outdated", "pin",
                    "plan",
                    "probe", "replay", "restore",
                    "run",
                    "sdk", "sign", "state", "test", "validate", "version",
                ]
            ),
            ("gatehouse ch", ["check"]),
            ("gatehouse run --pr", ["--print", "--profile"]),
            ("gatehouse run --print ", ["actions", "none", "state"]),
            ("gatehouse run --print=st", ["--print=state"]),
            ("gatehouse run --config plug", ["plugins with space/", "plugins.json"]),
            ("gatehouse run --plugins plug", ["plugins with space/"]),
            ("gatehouse run --input a --inp", ["--input"]),
            ("gatehouse run --grace ", []),
            ("gatehouse inspect plugins.", ["plugins.json"]),
            ("gatehouse plan --g", ["--graph"]),
            ("gatehouse help in", ["index", "inspect"]),
            ("gatehouse help run --c", []),
            ("gatehouse ctl st", ["state", "status", "stop"]),
            ("gatehouse ctl --n", ["--name"]),
            ("gatehouse ctl plan --g", []),
            ("gatehouse ctl plan st", []),
            ("gatehouse fly ", []),
        ])
    func `fish offers what may stand there`(line: String, expected: [String]) throws {
        #expect(try fishOffers(line) == expected)
    }

    @Test func `every command and option is in each script, and none that is hidden`() throws {
        let scripts = try ["bash", "zsh", "fish"].map(script)
        for command in [
            "run", "check", "list", "plan", "pin", "test", "inspect", "validate", "probe", "sign", "index",
            "add", "outdated", "new",
            "sdk", "version",
            "help",
        ] {
            let help = try ChildProcess.run(arguments: ["help", command]).output
            let options = Set(
                help.split { !($0.isLetter || $0 == "-") }.filter { $0.hasPrefix("--") }
                    .map { String($0.dropFirst(2)) })
            for text in scripts {
                #expect(text.contains(command))
                for option in options { #expect(text.contains(option), "\(command) \(option)") }
            }
        }
        for text in scripts { #expect(!text.contains("-l man") && !text.contains("--man")) }
    }

    @Test func `a shell that is not known is refused, with 64`() throws {
        let outcome = try ChildProcess.run(arguments: ["help", "--completions", "fisch"])
        #expect(
            outcome.errors
                == "gatehouse: --completions: expected bash, zsh or fish, found \"fisch\", did you mean \"fish\"?\n"
        )
        #expect(outcome.exitCode == 64)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell that is there reads its script without a complaint`(shell: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(script(shell), to: "script")
        let outcome = try ChildProcess.run(
            "/bin/sh",
            arguments: [
                "-c", #"command -v "$0" >/dev/null || exit 0; "$0" -n "$1""#, shell, folder("script"),
            ])
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }
}
