// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// A folder of plugins without a configuration file, and links in it.
@Suite(.timeLimit(.minutes(10))) struct PluginFolderRunTests {
    /// A folder with plugins in `plugins`, and no configuration.
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("plugins")
        try folder.copyLibrary("CounterPlugin", as: "plugins/libCounterPlugin.so")
        return folder
    }

    private func call(_ arguments: String..., in folder: TemporaryFolder) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: arguments, input: Array(#"{"type":"counter/increment"}"#.utf8), in: folder.path)
    }

    @Test func `a folder of plugins runs without a configuration`() throws {
        let folder = try folder()
        for path in ["plugins", "./plugins/", folder("plugins")] {
            let outcome = try call("run", "--plugins", path, in: folder)
            #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n")
            #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
            #expect(outcome.exitCode == 0)
        }
    }

    @Test func `a library whose name is not UTF-8 is shown with its bytes, and what to do`() throws {
        let folder = try folder()
        let shell = try ChildProcess(
            "/bin/sh", ["-c", #"cp plugins/libCounterPlugin.so "$(printf 'plugins/lib\377\233.so')""#],
            in: folder.path)
        #expect(try shell.finish().exitCode == 0)
        let outcome = try call("check", "--plugins", "plugins", in: folder)
        #expect(
            outcome.errorLines.first
                == #"gatehouse: warning: ./plugins/lib\xFF\x9B.so: refused: its name is not UTF-8, so nothing can name it; rename it"#
        )
        #expect(outcome.exitCode == 0)
    }

    @Test func `check, list and plan take a folder too`() throws {
        let folder = try folder()
        #expect(
            try call("check", "--plugins", "plugins", in: folder).errors
                == "gatehouse: plugins: OK (1 instance, 1 library)\ngatehouse: a run ends when its input does\n"
        )
        #expect(try call("list", "--plugins=plugins", in: folder).output.hasPrefix("counter: counter "))
        #expect(try call("plan", "--plugins", "plugins", in: folder).output.contains("counter/increment"))
    }

    @Test(arguments: ["run", "check", "list", "plan"])
    func `a folder that is not there ends with 78`(command: String) throws {
        let outcome = try call(command, "--plugins", "none", in: folder())
        #expect(
            outcome.errors
                == "./none: there is no such file or folder; name the folder that holds the plugin libraries\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `a link to a library elsewhere takes part`() throws {
        let folder = try folder()
        _ = try folder.makeFolder("store")
        try folder.copyLibrary("ProbePlugin", as: "store/probe-1.0.so")
        try FileSystem.link(folder("plugins/libProbe.so"), to: "../store/probe-1.0.so")
        let outcome = try call("run", "--plugins", "plugins", in: folder)
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.output.contains("\"probe\""))
    }

    @Test func `a link through a folder that everybody may write to is refused with the folder's name`()
        throws
    {
        let folder = try folder()
        try FileSystem.setMode(0o777, of: try folder.makeFolder("store"))
        try folder.copyLibrary("ProbePlugin", as: "store/probe-1.0.so")
        try FileSystem.link(folder("plugins/libProbe.so"), to: "../store/probe-1.0.so")
        #expect(
            try call("run", "--plugins", "plugins", in: folder).errorLines.first
                == "gatehouse: warning: ./plugins/libProbe.so: refused: it is a link, which leads to ./plugins/../store: everybody may write to it (mode 777); take that away with chmod o-w"
        )
    }
}
