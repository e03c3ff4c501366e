// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// What `gatehouse backup` makes of a journal that a run has written, and what `gatehouse restore` makes of that.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
    /// A till that has sold twice.
    private func scene() throws -> Scene {
        let scene = try Scene(
            #"{ "journal": { "directory": "journal" }, "plugins": [{ "id": "till" }] }"#,
            libraries: ["TillOnePlugin"])
        let outcome = try scene.run(
            ["--print", "none"],
            input: """
                {"type":"till/sold","payload":10}
                {"type":"till/sold","payload":200}

                """)
        try #require(outcome.exitCode == 0, "\(outcome.errors)")
        return scene
    }

    @Test func `a run goes on with the copy as with the journal`() throws {
        let scene = try scene()
        let made = try scene.call("backup", "monday.sqlite")
        #expect(made.errors == "")
        #expect(made.exitCode == 0)
        #expect(made.output.hasPrefix("monday.sqlite: actions 1 to 4, "))
        let before = try scene.call("state").output
        // Something happens that is to be undone.
        _ = try scene.run(["--print", "none"], input: #"{"type":"till/sold","payload":5000}"# + "\n")
        #expect(try scene.call("state").output != before)
        let restored = try scene.call("restore", "monday.sqlite")
        #expect(restored.errors == "")
        #expect(restored.exitCode == 0)
        #expect(
            restored.output.hasPrefix(
                "./journal/journal.sqlite: actions 1 to 4; the journal from before is ./journal/journal.sqlite.before-restore-"
            ), "\(restored.output)")
        #expect(try scene.call("state").output == before)
        let history = try scene.call("history").output
        #expect(history.split(separator: "\n").count == 4)
        let run = try scene.run(["--print", "none"], input: #"{"type":"till/sold","payload":1}"# + "\n")
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.errors.contains("resumes after action 4"), "\(run.errors)")
    }

    @Test func `a backup that is no backup is not restored`() throws {
        let scene = try scene()
        let missing = try scene.call("restore", "no.sqlite")
        #expect(
            missing.errors
                == "gatehouse: no.sqlite: there is no backup; name a file made by gatehouse backup\n")
        #expect(missing.exitCode == 64)
        try scene.folder.write("something else", to: "else.sqlite")
        let other = try scene.call("restore", "else.sqlite")
        #expect(
            other.errors.hasPrefix(
                "gatehouse: else.sqlite: the backup is damaged, so nothing was changed; restore another one:\n  - "
            ),
            "\(other.errors)")
        #expect(other.exitCode == 65)
        let nameless = try scene.call("restore")
        #expect(nameless.exitCode == 64)
    }

    @Test func `what stands in the way is told`() throws {
        let scene = try scene()
        try scene.folder.write("mine", to: "taken")
        let taken = try scene.call("backup", "taken")
        #expect(
            taken.errors == "gatehouse: taken: a file exists already; name another one, or remove it\n")
        #expect(taken.exitCode == 64)
        let missing = try scene.call("backup", "--journal", "no", "copy")
        #expect(
            missing.errors
                == "gatehouse: no/journal.sqlite: the journal cannot be read: there is none; name the folder of a journal that a host wrote\n"
        )
        #expect(missing.exitCode == 65)
        let nameless = try scene.call("backup")
        #expect(nameless.exitCode == 64)
    }
}
