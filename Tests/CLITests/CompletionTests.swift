// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What a shell offers, from the scripts that the built program writes.
@Suite struct CompletionTests {
    /// The script for a shell.
    private func script(_ shell: String) throws -> String {
        let outcome = try ChildProcess.run(arguments: ["help", "--completions", shell])
        #expect(outcome.exitCode == 0 && outcome.errors == "")
        return outcome.output
    }

    /// What bash offers behind these words, the last of which is being written, in a folder with a file and a folder.
    private func offers(_ words: [String]) throws -> [String] {
        let folder = try TemporaryFolder()
        try folder.write(script("bash"), to: "script")
        _ = try folder.makeFolder("files")
        _ = try folder.makeFolder("files/plugins with space")
        try folder.write("{}", to: "files/plugins.json")
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
        (["gatehouse", ""], ["check", "ctl", "help", "inspect", "list", "plan", "run", "version"]),
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
        (["gatehouse", "help", "in"], ["inspect"]),
        (["gatehouse", "fly", ""], []),
    ])
    func `bash offers what may stand there`(words: [String], expected: [String]) throws {
        #expect(try offers(words) == expected)
    }

    @Test func `every command and option is in each script, and none that is hidden`() throws {
        let scripts = try ["bash", "zsh", "fish"].map(script)
        for command in ["run", "check", "list", "plan", "inspect", "version", "help"] {
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
