// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Whatever a plugin does, validating it ends, and nothing is left of it.
@Suite(.timeLimit(.minutes(10))) struct ValidateContainmentTests {
    @Test(arguments: [
        ("load/fork", "lifecycle/load"), ("load/daemon", "lifecycle/load"),
        ("start/fork", "process/children"),
        ("start/daemon", "process/children"), ("act/daemon", "actions/extreme-numbers"),
    ])
    func `no process is left behind`(defect: String, check: String) throws {
        let folder = try TemporaryFolder()
        // Tells what this test has started from what others have.
        let mark = "VALIDATED_IN=\(folder.path)"
        let plugin = ValidatedPlugin(
            target: "DefectivePlugin", environment: ["DEFECT": defect, "VALIDATED_IN": folder.path])
        let outcome = try plugin.validate(only: check)
        #expect(outcome.output.contains("1 check: "), "\(outcome.output)")
        #expect(ValidatedPlugin.processes(with: mark) == [])
    }

    @Test func `a plugin that loops is ended with its time, and says where it was`() throws {
        let start = ContinuousClock.now
        let outcome = try ValidatedPlugin.defective("act/loop").validate(only: "actions", "gate")
        #expect(
            outcome.output.contains(
                "crash  actions/examples              it did not return within 10 s when it heard act with {\"amount\":1,\"label\":\"example\"}; return at once from all that the host calls, also from what cancels an effect, and do long work in effects\n"
            ), "\(outcome.output)")
        #expect(
            outcome.output.contains("skip   gate/closed                   actions/examples is not passed\n"))
        #expect(start.duration(to: .now) < .seconds(90))
        #expect(outcome.exitCode == 69)
    }

    @Test(arguments: ["close", "closeTold"])
    func `a plugin that closes what is not its own is told so`(deed: String) throws {
        let plugin = ValidatedPlugin(target: "RestlessPlugin", environment: ["RESTLESS": deed])
        let outcome = try plugin.validate(only: "lifecycle/load")
        #expect(
            outcome.output == """
                crash  lifecycle/load                it closed descriptors that it did not open while it was loaded, in code that runs before its entry; close only what the plugin has opened
                1 check: 1 crashed; seed 1

                """)
        #expect(outcome.exitCode == 69)
    }

    @Test func `whoever interrupts leaves no process behind`() throws {
        let folder = try TemporaryFolder()
        let mark = "VALIDATED_IN=\(folder.path)"
        let child = try ChildProcess(
            BuiltProducts.program,
            ["validate", BuiltProducts.library("DefectivePlugin"), "--only", "lifecycle/load,library/note"],
            in: folder.path,
            environment: ["DEFECT": "load/loop", "VALIDATED_IN": folder.path])
        // What is told from the bytes is told before the child of the next round begins.
        try child.waitForOutput("pass   library/note\n")
        child.signal(2)
        let outcome = try child.finish()
        #expect(outcome.exitCode == nil)
        #expect(ValidatedPlugin.processes(with: mark) == [])
    }

    @Test func `a cache folder that cannot be had is told, and the checks are done from memory`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let plugin = ValidatedPlugin(
            target: "CounterPlugin", environment: ["CACHE_DIRECTORY": folder("file")])
        let outcome = try plugin.validate(only: "lifecycle/load")
        #expect(outcome.output == "pass   lifecycle/load\n1 check: 1 passed; seed 1\n")
        #expect(
            outcome.errors.hasPrefix(
                "gatehouse: warning: plugins are mapped from memory, where backtraces and debuggers do not find them: "
            ), "\(outcome.errors)")
    }

    @Test func `a library that cannot be mapped from memory is not checked, and the reason is told`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        // It needs a library that stands beside it.
        let (name, other) = (Array("libswift_RegexParser.so".utf8), Array("libcompanionOfPlugin.so".utf8))
        let bytes = try FileSystem.read(BuiltProducts.library("CounterPlugin"))
        try FileSystem.write(bytes.replacing(name, with: other), to: folder("libCounterPlugin.so"))
        try folder.copyLibrary("NoNote", as: "libcompanionOfPlugin.so")
        let outcome = try ChildProcess.run(
            arguments: ["validate", "libCounterPlugin.so", "--only", "lifecycle/load"], in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("file")])
        #expect(
            outcome.output == """
                fail   lifecycle/load                it needs libcompanionOfPlugin.so of its own folder, which only an image in the cache folder finds; let "images" be "cache", or put that where the system's loader looks
                1 check: 1 failed; seed 1

                """)
        #expect(outcome.exitCode == 69)
    }

    @Test func `scratch folders go`() throws {
        let folder = try TemporaryFolder()
        let plugin = ValidatedPlugin(
            target: "DefectivePlugin", environment: ["DEFECT": "start/file", "TMPDIR": folder.path])
        #expect(try plugin.validate(only: "process/files").exitCode == 69)
        #expect(FileSystem.names(in: folder.path) == [])
    }
}
