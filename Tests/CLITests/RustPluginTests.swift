// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// All that `gatehouse.rs` offers, in a plugin that the built program runs.
@Suite(.enabled(if: Workshop.has("cargo"), "needs cargo"), .timeLimit(.minutes(10)))
struct RustPluginTests {
    /// What comes of lines; what a panic says is left out of the errors.
    private func probe(
        _ version: RustFixture.Version = .first, _ arguments: [String] = [],
        environment: [String: String] = [:], _ lines: String...
    ) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["probe", RustFixture.library(version)] + arguments,
            input: Array(lines.map { $0 + "\n" }.joined().utf8), environment: environment)
    }

    /// The answers between those to start and stop.
    private func answers(_ outcome: ChildProcess.Outcome) -> [String] {
        outcome.output.split(separator: "\n").dropFirst().dropLast().map(String.init)
    }

    @Test func `it reads its id, the clock, its state and its data folder`() throws {
        let outcome = try probe(
            .first, [], #"{"type":"id"}"#, #"{"type":"now"}"#, #"{"advance":"1500ms"}"#, #"{"type":"now"}"#,
            #"{"type":"count"}"#, #"{"type":"state"}"#, #"{"type":"data"}"#)
        #expect(
            answers(outcome) == [
                #"{"did":"action","passed":[{"type":"id"}],"emitted":[{"type":"told","payload":"rust-probe"}]}"#,
                #"{"did":"action","passed":[{"type":"now"}],"emitted":[{"type":"told","payload":1000000000000000000}]}"#,
                #"{"did":"advance"}"#,
                #"{"did":"action","passed":[{"type":"now"}],"emitted":[{"type":"told","payload":1000000001500000000}]}"#,
                #"{"did":"action","passed":[{"type":"count"}],"state":1}"#,
                #"{"did":"action","passed":[{"type":"state"}],"emitted":[{"type":"told","payload":1}]}"#,
                #"{"did":"action","passed":[{"type":"data"}],"emitted":[{"type":"told","payload":{"folder":"rust-probe","written":true}}]}"#,
            ], "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a time before 1970 is one too`() throws {
        let outcome = try probe(.first, ["--clock", "1969-12-31T23:59:59Z"], #"{"type":"now"}"#)
        #expect(
            answers(outcome) == [
                #"{"did":"action","passed":[{"type":"now"}],"emitted":[{"type":"told","payload":-1000000000}]}"#
            ], "\(outcome.errors)")
    }

    @Test func `it emits errors, hears before the reducers, and announces what takes long`() throws {
        let outcome = try probe(
            .first, [], #"{"type":"error","payload":[1]}"#, #"{"type":"before"}"#, #"{"type":"long"}"#)
        #expect(
            answers(outcome) == [
                #"{"did":"action","passed":[{"type":"error","payload":[1]}],"emitted":[{"type":"told","payload":[1],"error":true}]}"#,
                #"{"did":"action","passed":[{"type":"before"}],"emitted":[{"type":"before-told","payload":0}]}"#,
                #"{"did":"action","passed":[{"type":"long"}],"emitted":[{"type":"told","payload":"[Ok(()), Ok(()), Err(Gone)]"}]}"#,
            ], "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `it says what it has not done, and is told why the host has not`() throws {
        let outcome = try probe(.first, [], #"{"type":"fail","payload":7}"#, #"{"type":"no-json"}"#)
        #expect(
            answers(outcome) == [
                #"{"did":"action","passed":[{"type":"fail","payload":7}],"emitted":[{"type":"told","payload":"Ok(())"}],"reports":["rust-probe: has not done \"fail\": it was asked to"]}"#,
                #"{"did":"action","passed":[{"type":"no-json"}],"emitted":[{"type":"told","payload":"Invalid: a text is not what the host expects; it has told the operator"}],"reports":["rust-probe: an action that it emits cannot be written as JSON: /payload: expected JSON for \"told\", found text that is not, 1:2: expected a member name in double quotes, found the end of the text"]}"#,
            ], "\(outcome.errors)")
        #expect(outcome.exitCode == 65)
    }

    @Test func `it is told which of its work was cancelled`() throws {
        let outcome = try probe(
            .first, [], #"{"type":"linger"}"#, #"{"type":"cancel"}"#, #"{"type":"cancel"}"#)
        #expect(
            answers(outcome) == [
                #"{"did":"action","passed":[{"type":"linger"}],"running":1}"#,
                #"{"did":"action","passed":[{"type":"cancel"}],"emitted":[{"type":"cancelled","payload":{"known":true,"running":false}},{"type":"told","payload":true}]}"#,
                #"{"did":"action","passed":[{"type":"cancel"}],"emitted":[{"type":"told","payload":false}]}"#,
            ], "\(outcome.errors)")
    }

    @Test func `its interceptor lets pass, stops and replaces, and what it replaces badly stops`() throws {
        let outcome = try probe(
            .first, [], #"{"type":"count"}"#, #"{"type":"stop-me"}"#,
            #"{"type":"change-me","payload":1,"error":true}"#,
            #"{"type":"mar-me","payload":1}"#)
        #expect(
            answers(outcome) == [
                #"{"did":"action","passed":[{"type":"count"}],"state":1}"#, #"{"did":"action","passed":[]}"#,
                #"{"did":"action","passed":[{"type":"change-me","payload":"changed","error":true}]}"#,
                #"{"did":"action","passed":[],"reports":["rust-probe: an action that it emits cannot be written as JSON: /payload: expected JSON for \"mar-me\", found text that is not, 1:2: expected a member name in double quotes, found the end of the text"]}"#,
            ], "\(outcome.errors)")
    }

    @Test(arguments: [#"{"type":"panic"}"#, #"{"type":"panic-me"}"#])
    func `a panic ends the program as a trap does, in a handler and in an interceptor`(line: String) throws {
        let outcome = try probe(.first, [], #"{"type":"count"}"#, line, #"{"type":"count"}"#)
        #expect(outcome.errors.contains("it was asked to"), "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 2)
        #expect(outcome.exitCode == nil)
    }

    /// What comes of a state that an earlier version has left.
    private func restore(_ state: String) throws -> ChildProcess.Outcome {
        let folder = try TemporaryFolder()
        try folder.write("{ \"version\": 1, \"state\": \(state) }", to: "state.json")
        return try probe(.second, ["--state", folder("state.json")], #"{"type":"count"}"#)
    }

    @Test func `it takes over the state of an earlier version`() throws {
        let outcome = try restore("4")
        #expect(
            outcome.output == """
                {"did":"start","state":{"sum":4}}
                {"did":"action","passed":[{"type":"count"}],"state":{"sum":5}}
                {"did":"stop"}

                """, "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a state that its migration gives nothing for refuses it`() throws {
        let outcome = try restore("\"four\"")
        #expect(outcome.output == "")
        #expect(
            outcome.errors.contains(
                "refused for the instance rust-probe: its state of version 1 cannot be taken over: expected a state that migrate can read, found one that it gives nothing for; correct the plugin's migrate\n"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
    }

    @Test func `a panic in a migration ends the program`() throws {
        let outcome = try restore("13")
        #expect(outcome.errors.contains("it was asked to panic"), "\(outcome.errors)")
        #expect(outcome.output == "")
        #expect(outcome.exitCode == nil)
    }

    @Test func `a run goes on from the state that the run of an earlier version has saved`() throws {
        let scene = try Scene(
            #"{ "stateFile": "state.json", "plugins": [{ "id": "rust-probe", "library": "librust_probe.so" }] }"#
        )
        let library = scene.folder("plugins/librust_probe.so")
        try FileSystem.write(FileSystem.read(RustFixture.library(.first)), to: library)
        let first = try scene.run(input: #"{"type":"rust-probe/count"}"# + "\n")
        #expect(first.exitCode == 0, "\(first.errors)")
        FileSystem.remove(library)
        try FileSystem.write(FileSystem.read(RustFixture.library(.second)), to: library)
        let second = try scene.run(["--print", "state"], input: #"{"type":"rust-probe/count"}"# + "\n")
        #expect(second.output.filter { !$0.isWhitespace } == #"{"rust-probe":{"sum":2}}"#, "\(second.errors)")
        #expect(second.exitCode == 0)
    }

    @Test func `a library that refuses to be opened is refused in its words`() throws {
        let outcome = try probe(.first, [], environment: ["RUST_PROBE_OPENS": "it needs a fan"])
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("it needs a fan"), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
    }

    @Test func `a library that panics when it is opened dies in the rehearsal, and is refused`() throws {
        let outcome = try probe(.first, [], environment: ["RUST_PROBE_OPENS": "panic"])
        #expect(
            outcome.errors.contains(
                "refused for the instance rust-probe: in a rehearsal it died by SIGABRT in its entry"),
            "\(outcome.errors)")
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 69)
    }

    @Test func `it refuses settings at their place`() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{ "refuse": "" }"#, to: "settings.json")
        let outcome = try probe(.first, ["--settings", folder("settings.json")])
        #expect(outcome.errors.contains("what it refuses: it was asked to"), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
    }

    @Test func `the backtrace of a panic names the lines of a library that was built for release`() throws {
        let outcome = try probe(.first, [], environment: ["RUST_BACKTRACE": "1"], #"{"type":"panic"}"#)
        #expect(outcome.errors.contains("RustProbe/src/lib.rs:"), "\(outcome.errors)")
        #expect(outcome.exitCode == nil)
    }
}
