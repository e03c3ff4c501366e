// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What plugins do before they are started is seen in a child first, on the built program.
@Suite(.timeLimit(.minutes(10))) struct RehearsalTests {
    /// A counter beside a plugin that is restless.
    private func scene(_ settings: String = "", limit: Int = 10) throws -> Scene {
        try Scene(
            """
            { "limits": { "rehearsal": \(limit) }, "plugins": [
              { "id": "counter" },
              { "id": "restless", "optional": true, "settings": { \(settings) } } ] }
            """, libraries: ["CounterPlugin", "RestlessPlugin"])
    }

    /// Runs a line for the counter with a deed at loading.
    private func run(
        _ scene: Scene, loading deed: String = "", tracesCalls: Bool = false, _ arguments: String...
    ) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["run", "--print", "actions"] + arguments,
            input: Array((#"{"type":"counter/increment"}"# + "\n").utf8), in: scene.folder.path,
            environment: scene.environment.merging(["RESTLESS": deed]) { $1 }, tracesCalls: tracesCalls)
    }

    /// The first line of what is told about the plugin that is left out, without what stands in front of each.
    private func reason(_ outcome: ChildProcess.Outcome) -> String {
        let start = "gatehouse: warning: ./plugins/libRestlessPlugin.so: refused for the instance restless: "
        return outcome.errorLines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
            ?? ""
    }

    /// Whether the counter did its work.
    private func isRight(_ outcome: ChildProcess.Outcome) -> Bool {
        outcome.output == #"{"type":"counter/increment"}"# + "\n" && outcome.exitCode == 0
    }

    @Test func `a plugin that does nothing wrong is loaded`() throws {
        let outcome = try run(scene())
        #expect(isRight(outcome))
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
    }

    @Test(arguments: [
        (
            "trap",
            "in a rehearsal it died by SIGILL while it was loaded, in code that runs before its entry; correct the plugin"
        ),
        (
            "exit",
            "in a rehearsal it called exit(0) while it was loaded, in code that runs before its entry; correct the plugin"
        ),
        (
            "closeTold",
            "in a rehearsal it closed descriptors that it did not open while it was loaded, in code that runs before its entry; correct the plugin"
        ),
        (
            "close",
            "in a rehearsal it closed descriptors that it did not open while it was loaded, in code that runs before its entry; correct the plugin"
        ),
    ])
    func `what ends a process while it is loaded is refused, and the host never sees it`(
        deed: String, sentence: String
    ) throws {
        let outcome = try run(scene(), loading: deed)
        #expect(reason(outcome) == sentence)
        #expect(isRight(outcome))
    }

    @Test func `a constructor that loops is refused when its time is over, and says where it was`() throws {
        let outcome = try run(scene(limit: 1), loading: "loop", tracesCalls: true)
        #expect(
            reason(outcome)
                == "in a rehearsal it did not return within 1 s while it was loaded, in code that runs before its entry; correct the plugin, or allow more time with \"limits\"/\"rehearsal\""
        )
        #expect(outcome.errors.contains("\n      at restless_do + "))
        #expect(outcome.errors.contains("CRestless.c:"))
        #expect(isRight(outcome))
    }

    @Test func `what a constructor prints is no result`() throws {
        let outcome = try run(scene(), loading: "print")
        #expect(isRight(outcome))
        #expect(outcome.errorLines == ["a plugin: from a plugin", "gatehouse: 1 line, 1 action, 0 rejected"])
    }

    @Test func `a process that a constructor leaves behind goes with the rehearsal`() throws {
        let scene = try scene()
        let outcome = try ChildProcess.run(
            arguments: ["check", "--rehearse"], in: scene.folder.path,
            environment: scene.environment.merging(["RESTLESS": "fork"]) { $1 })
        #expect(
            outcome.errors.hasSuffix(
                "OK (2 instances, 2 libraries)\ngatehouse: a run ends when its input does\n"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `a trap while the parts are made is told with its reason and its place`() throws {
        let outcome = try run(scene(#""parts": "fatalError""#), tracesCalls: true)
        #expect(
            reason(outcome)
                == "in a rehearsal it died by SIGILL while the parts of the instance restless were made; correct the plugin"
        )
        #expect(outcome.errors.contains("Fatal error: no middleware today\n      at "))
        #expect(outcome.errors.contains("/RestlessPlugin.swift:41:57\ngatehouse: 1 line"))
        #expect(isRight(outcome))
    }

    @Test(arguments: [
        (
            "trap",
            "in a rehearsal it died by SIGILL while the state of the instance restless was written and read again; correct the plugin"
        ),
        (
            "forget",
            "its first state does not come back from the JSON that it is written as: the whole value: expected a member \"deed\", found none; correct the State type"
        ),
    ])
    func `a state that cannot be written, or read again, is refused`(deed: String, sentence: String) throws {
        let outcome = try run(scene(#""state": "\#(deed)""#))
        #expect(reason(outcome) == sentence)
        #expect(isRight(outcome))
    }

    @Test func `one instance that dies takes no other of the same library with it`() throws {
        let scene = try Scene(
            """
            { "plugins": [
              { "id": "a", "library": "libRestlessPlugin.so" },
              { "id": "b", "library": "libRestlessPlugin.so", "settings": { "parts": "trap" } },
              { "id": "c", "library": "libRestlessPlugin.so" },
              { "id": "d", "library": "libRestlessPlugin.so", "settings": { "parts": "exit" } } ] }
            """, libraries: ["RestlessPlugin"])
        let outcome = try scene.run(["--keep-going", "--print", "state"])
        #expect(outcome.output.filter { !" \n".contains($0) } == #"{"a":{"deed":""},"c":{"deed":""}}"#)
        #expect(outcome.errors.contains("refused for the instance b: in a rehearsal it died by SIGILL"))
        #expect(outcome.errors.contains("refused for the instance d: in a rehearsal it called exit(0)"))
        #expect(outcome.exitCode == 69)
    }

    @Test func `what has passed is not tried again until something that matters has changed`() throws {
        let scene = try scene()
        #expect(isRight(try run(scene)))
        // Not tried, so the host itself meets it.
        #expect(try run(scene, loading: "trap").exitCode == nil)
        let settings =
            #"{ "plugins": [{ "id": "counter" }, { "id": "restless", "optional": true, "settings": { "parts": "" } }] }"#
        try scene.folder.write(settings, to: "plugins.json")
        #expect(isRight(try run(scene, loading: "trap")))
        #expect(isRight(try run(scene)))
        #expect(try run(scene, loading: "trap").exitCode == nil)
        // Other bytes.
        var bytes = try FileSystem.read(scene.folder("plugins/libRestlessPlugin.so"))
        bytes.append(0)
        try scene.folder.write(bytes, to: "plugins/libRestlessPlugin.so")
        #expect(isRight(try run(scene, loading: "trap")))
    }

    @Test func `what was refused is tried again each time`() throws {
        let scene = try scene()
        #expect(reason(try run(scene, loading: "exit")) != "")
        #expect(reason(try run(scene)) == "")
    }

    @Test func `without a cache folder everything is tried each time, from memory`() throws {
        let scene = try scene()
        for deed in ["", "trap"] {
            let outcome = try ChildProcess.run(
                arguments: ["run", "--print", "actions"],
                input: Array((#"{"type":"counter/increment"}"# + "\n").utf8), in: scene.folder.path,
                environment: ["RESTLESS": deed])
            #expect(isRight(outcome))
        }
    }

    @Test func `check rehearses when it is asked to, and only then`() throws {
        let scene = try scene(#""parts": "exit""#)
        #expect(
            try scene.call("check").errors.hasSuffix(
                "OK (2 instances, 2 libraries)\ngatehouse: a run ends when its input does\n"))
        let outcome = try scene.call("check", "--rehearse")
        #expect(
            reason(outcome)
                == "in a rehearsal it called exit(0) while the parts of the instance restless were made; correct the plugin"
        )
        #expect(outcome.exitCode == 0)
    }

    @Test func `a required plugin that dies keeps the host from starting, with 69`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "restless", "settings": { "parts": "exit" } }] }"#,
            libraries: ["RestlessPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errors
                == "./plugins/libRestlessPlugin.so: refused for the instance restless: in a rehearsal it called exit(0) while the parts of the instance restless were made; correct the plugin\n"
        )
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 69)
    }

    @Test func `a folder whose only plugin dies is told to have nothing left`() throws {
        let scene = try Scene("{}", libraries: ["RestlessPlugin"])
        let outcome = try run(scene, loading: "exit")
        #expect(
            outcome.errorLines.first == "./plugins: refused: its only library is refused")
        #expect(outcome.exitCode == 69)
    }
}
