// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseHostTesting
import Glibc
import Testing

/// The calls between a writer's socket and a plugin's reducer, and between an effect and the reducer that takes its answer.
///
/// Each ceiling is the number of calls when it was last lowered: a change may shorten the way, and lowers its ceiling then.
@Suite(.timeLimit(.minutes(5))) struct ActionStackTests {
    /// The state of the fixture Traced.
    private struct State: Decodable {
        var traced: Stack

        struct Stack: Decodable { var frames: [Frame] }

        struct Frame: Decodable {
            var function: String
            var file: String
            var isThunk: Bool
        }
    }

    /// The calls on the stack of the fixture's reducer, innermost first, without what the compiler made and what has no name.
    private func calls(reducing action: String) throws -> [String] {
        // Whoever has the right to drain processes what comes; on a busy machine that is sometimes the thread that answers `ctl`.
        var calls: [String] = []
        for _ in 0..<5 where calls.isEmpty || calls.contains(where: { $0.contains("ControlledStore.") }) {
            calls = try callsOfOneHost(reducing: action)
        }
        return calls
    }

    /// The same in another host each time, whoever processes the action.
    private func callsOfOneHost(reducing action: String) throws -> [String] {
        let scene = try Scene(
            """
            { "ingress": { "listen": ["unix:in.sock"] },
              "plugins": [{ "id": "traced", "settings": { "of": "\(action)" } }] }
            """, libraries: ["TracedPlugin"])
        let child = try scene.start(["--name", "traced", "--print", "actions"])
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        try child.waitForErrors("can be controlled")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(#"{"type":"traced/ask"}"# + "\n")
        try child.waitForOutput(#"{"type":"traced/answer"}"#)
        var state = try scene.call("ctl", "--name", "traced", "state")
        // The reducer looks up its calls, and on a busy machine nobody else has a turn for seconds.
        while state.errors.contains("nothing was done, ask again") {
            state = try scene.call("ctl", "--name", "traced", "state")
        }
        try #require(state.exitCode == 0, "\(state)")
        child.signal(SIGTERM)
        #expect(try child.finish().exitCode == 0)
        return try JSONDecoder().decode(State.self, from: Data(state.output.utf8)).traced.frames
            .filter { !$0.isThunk && !$0.function.isEmpty }
            .map {
                $0.file.split(separator: "/").dropLast().suffix(2).joined(separator: "/") + " " + $0.function
            }
    }

    /// The calls as Architecture.md shows them, innermost first.
    private func documentedCalls() throws -> [String] {
        let section = try #require(
            try GuidePage("Documentation/Architecture.md").sessions
                .first { $0.heading == "The way of one action" })
        let block = try #require(section.blocks.first { $0.kind == "text" })
        return block.lines.reversed().map { line in
            let name = line.firstIndex(of: " ") ?? line.endIndex
            return line[..<name] + " " + line[name...].drop { $0 == " " }
        }
    }

    @Test func `a line is 20 calls away from a reducer`() throws {
        let calls = try calls(reducing: "ask")
        #expect(calls.first == "Fixtures/Traced static Traced.frames()")
        // Two calls are the plugin's own.
        #expect(
            Array(calls.dropFirst(2)) == (try documentedCalls()), "\(calls.joined(separator: "\n"))")
        #expect(calls.count <= 20, "\(calls.joined(separator: "\n"))")
    }

    /// Whichever thread has the right to drain processes the answer: the effect's own, or the one that reads lines.
    @Test func `the answer of an effect is 25 calls away from a reducer`() throws {
        let calls = try calls(reducing: "answer")
        #expect(calls.first == "Fixtures/Traced static Traced.frames()")
        #expect(calls.contains { $0.hasSuffix(" Generation.process(_:)") })
        #expect(calls.count <= 25, "\(calls.joined(separator: "\n"))")
    }
}
