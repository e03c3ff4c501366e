// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// The pages that the built program writes for `man`.
@Suite(.timeLimit(.minutes(10))) struct ManualTests {
    /// The names of the pages, with what asks for them.
    private static let pages =
        [["gatehouse"]]
        + [
            "run", "check", "list", "plan", "pin", "add", "outdated", "test", "inspect", "validate", "probe",
            "sign",
            "index", "new",
            "sdk",
            "cluster",
            "version", "help",
        ].map { ["gatehouse", $0] }

    /// A page as man shows it, without its emphasis; nil where there is no man.
    private func shown(_ page: [String]) throws -> String? {
        let folder = try TemporaryFolder()
        let source = try ChildProcess.run(arguments: ["help", "--man"] + page.dropFirst())
        #expect(source.exitCode == 0 && source.errors == "")
        try folder.write(source.output, to: "page.1")
        let outcome = try ChildProcess.run(
            "/bin/sh",
            arguments: [
                "-c",
                "command -v groff >/dev/null || exit 77; groff -ww -man -Tascii -P-cbou -rLL=400n \"$0\"",
                folder("page.1"),
            ])
        if outcome.exitCode == 77 { return nil }
        #expect(outcome.errors == "", "\(page)")
        #expect(outcome.exitCode == 0)
        return outcome.output
    }

    @Test(arguments: pages)
    func `a page is read without a complaint, and has a name that apropos finds`(page: [String]) throws {
        guard let text = try shown(page) else { return }
        let name = page.joined(separator: "-")
        #expect(text.contains("\n     \(name) - ") || text.contains("\n       \(name) - "), "\(text)")
    }

    @Test func `every option is in the page of its command, with the same words as in its help`() throws {
        guard let text = try shown(["gatehouse", "check"]) else { return }
        for words in [
            "gatehouse check [--config FILE|--plugins DIR] [--rehearse] [--strict] [--json]",
            "--rehearse", "also try the plugins in a child process, up to where they would start",
            "EXIT STATUS", "the host can start", "gatehouse(1)",
        ] {
            #expect(text.contains(words), "\(words)")
        }
    }

    @Test func `what is meant for scripts only is explained nowhere`() throws {
        guard let text = try shown(["gatehouse", "help"]) else { return }
        #expect(!text.contains("--man") && !text.contains("--names"))
        #expect(try !ChildProcess.run(arguments: ["help", "help"]).output.contains("--"))
        #expect(
            try ChildProcess.run(arguments: ["help", "--mann"]).errors
                == "gatehouse: unknown option \"--mann\"; see gatehouse help help\n")
    }

    @Test func `the names of the commands are for scripts`() throws {
        #expect(
            try ChildProcess.run(arguments: ["help", "--names"]).output
                == "run\ncheck\nlist\nplan\npin\nadd\noutdated\ntest\ninspect\nvalidate\nprobe\nsign\nindex\nnew\nsdk\nctl\ncluster\nhistory\nstate\nreplay\nbackup\nrestore\nversion\nhelp\n"
        )
    }
}
