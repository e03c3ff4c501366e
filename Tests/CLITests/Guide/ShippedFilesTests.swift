// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// The configurations in this repository, with the built program and plugins.
@Suite(.timeLimit(.minutes(10))) struct ShippedFilesTests {
    /// A folder with a shipped configuration and input at their places, and the bundled plugins where it looks for them.
    private func folder(_ configuration: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in ["Examples", "Examples/service", ".build", ".build/plugins"] {
            _ = try folder.makeFolder(name)
        }
        for name in ["Counter", "CrashReports", "Logger", "Persistence", "Rules"] {
            try folder.copyLibrary(name + "Plugin", as: ".build/plugins/lib\(name)Plugin.so")
        }
        let text = try GuidePage.text(configuration)
            .replacing("/usr/local/lib/gatehouse/plugins", with: folder(".build/plugins"))
        try folder.write(text, to: configuration)
        try folder.write(GuidePage.text("Examples/orders.ndjson"), to: "Examples/orders.ndjson")
        return folder
    }

    @Test(arguments: [
        ("plugins.json", "5 instances, 4 libraries", "a run ends when its input does"),
        ("Examples/gated-by-action.json", "2 instances, 2 libraries", "a run ends when its input does"),
        (
            "Examples/service/plugins.json", "3 instances, 3 libraries",
            "writers connect to /run/gatehouse/orders.in.sock: a run continues until it is asked to end"
        ),
    ])
    func `nothing is wrong with a configuration that is shipped`(
        file: String, found: String, ending: String
    ) throws {
        let folder = try folder(file)
        let outcome = try ChildProcess.run(
            arguments: ["check", "--config", file, "--rehearse"], in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("cache")])
        #expect(
            outcome.errors
                == "gatehouse: \(file): OK (\(found))\ngatehouse: \(ending)\n")
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [
        ("plugins.json", 5), ("Examples/gated-by-action.json", 2), ("Examples/service/plugins.json", 2),
    ])
    func `a configuration that is shipped does what its cases say`(file: String, count: Int) throws {
        let folder = try folder(file)
        let cases = file.dropLast(".json".count) + ".test.json"
        try folder.write(GuidePage.text(String(cases)), to: String(cases))
        let outcome = try ChildProcess.run(
            arguments: ["test", "--config", file], in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("cache")])
        #expect(outcome.errors == "gatehouse: \(count) cases passed\n", "\(outcome.output)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `make run prints what README says`() throws {
        let folder = try folder("plugins.json")
        let outcome = try ChildProcess.run(
            arguments: [
                "run", "--config", "plugins.json", "--input", "Examples/orders.ndjson", "--print", "state",
            ], in: folder.path, environment: ["CACHE_DIRECTORY": folder("cache")])
        let words = outcome.errorLines
        let found =
            words.dropLast() + outcome.output.split(separator: "\n").map(String.init) + words.suffix(1)
        let session = try #require(try GuidePage("README.md").sessions.first { $0.heading == "Run it" })
        let block = try #require(session.blocks.last)
        #expect(GuideRun.agrees(found[...], block.lines[...]), "\(found.joined(separator: "\n"))")
        #expect(outcome.exitCode == 0)
    }

    @Test func `the guide shows the configuration of the service as it is shipped`() throws {
        let sessions = try GuidePage("Documentation/Operating.md").sessions
        let service = try #require(sessions.first { $0.heading == "Run as a service" })
        let block = try #require(service.blocks.first { $0.name == "plugins.json" })
        let shipped = try GuidePage.text("Examples/service/plugins.json")
        #expect(block.lines.joined(separator: "\n") + "\n" == shipped)
    }

    @Test func `the configuration that gates by an action runs as Examples says`() throws {
        let folder = try folder("Examples/gated-by-action.json")
        let outcome = try ChildProcess.run(
            arguments: [
                "run", "--config", "Examples/gated-by-action.json", "--input", "Examples/orders.ndjson",
            ], in: folder.path, environment: ["CACHE_DIRECTORY": folder("cache")])
        // Lines 7 and 11 are kept, 14 met a closed gate; there is no instance that 16 and 18 name.
        #expect(outcome.output.contains("\"line\": 7") && outcome.output.contains("\"line\": 11"))
        #expect(!outcome.output.contains("\"line\": 14"))
        #expect(outcome.errorLines.filter { $0.hasPrefix("Examples/orders.ndjson:") }.count == 2)
        #expect(outcome.exitCode == 0)
    }
}
