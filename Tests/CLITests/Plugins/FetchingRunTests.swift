// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// A plugin that uses Foundation's URLSession and the main actor, in the built host.
@Suite(.timeLimit(.minutes(10))) struct FetchingRunTests {
    /// A folder with the plugin.
    private func scene() throws -> Scene {
        try Scene(#"{ "plugins": [{ "id": "fetching" }] }"#, libraries: ["FetchingPlugin"])
    }

    /// The actions of a run that have the type.
    private func actions(_ type: String, in outcome: ChildProcess.Outcome) -> [Substring] {
        outcome.output.split(separator: "\n").filter { $0.contains("\"fetching/\(type)\"") }
    }

    @Test func `URLSession with a token in two effects survives fetches that cancel each other`() throws {
        // Of any length, so that some are cancelled before the answer and some during it.
        let server = try ScriptedServer { _, number in
            .status(200, body: String(repeating: "x", count: number % 7 * 20_000))
        }
        let lines = (0..<300).map { number in
            #"{"type":"fetching/fetch","payload":{"url":"\#(server.url("/\(number)"))","slot":"\#(number % 3)"}}"#
        }
        let outcome = try scene().run(["--print", "actions"], input: lines.joined(separator: "\n"))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(actions("failed", in: outcome) == [])
        // The last fetch of each slot is cancelled by nobody, and has two effects.
        let fetched = actions("fetched", in: outcome)
        for slot in 0..<3 { #expect(fetched.count { $0.contains(#""slot":"\#(slot)""#) } >= 2) }
        #expect(fetched.allSatisfy { $0.contains(#""status":200"#) })
        #expect(fetched.count < 600, "nothing was cancelled")
    }

    @Test func `MainActor.run ends in a host as it does in a TestStore`() throws {
        let outcome = try scene().run(
            ["--print", "actions"],
            input: String(repeating: #"{"type":"fetching/count"}"# + "\n", count: 20))
        #expect(
            actions("counted", in: outcome).sorted()
                == (1...20).map { #"{"type":"fetching/counted","payload":\#($0)}"# }.sorted())
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }

    @Test func `MainActor.run ends in a case of gatehouse test`() throws {
        let scene = try scene()
        try scene.folder.write(
            #"""
            { "cases": [{
              "name": "counts", "send": { "type": "fetching/count" },
              "expect": [{ "type": "fetching/counted", "payload": 1 }]
            }] }
            """#, to: "plugins.test.json")
        let outcome = try scene.call("test", "plugins.test.json")
        #expect(outcome.errors == "gatehouse: 1 case passed\n", "\(outcome.output)")
        #expect(outcome.exitCode == 0)
    }
}
