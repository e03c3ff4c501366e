// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// `gatehouse probe`, on the built program and the built fixtures.
@Suite(.timeLimit(.minutes(10))) struct ProbeTests {
    /// What comes of lines, with the library of a target.
    private func probe(_ target: String, _ arguments: [String] = [], _ lines: String...) throws
        -> ChildProcess.Outcome
    {
        try ChildProcess.run(
            arguments: ["probe", BuiltProducts.library(target)] + arguments,
            input: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    @Test func `a plugin in C is told line by line what it does, by its local names`() throws {
        let outcome = try probe(
            "ForeignProbe", [], #"{"type":"echo","payload":{"a":1},"error":true}"#, "",
            #"{"type":"count","payload":2}"#, #"{"type":"foreign-probe/count","payload":3}"#,
            #"{"type":"stop-me"}"#, #"{"type":"change-me","payload":1}"#)
        #expect(
            outcome.output == """
                {"did":"start","emitted":[{"type":"told","payload":"started"}],"state":{"count":0},"log":["info: is being made"]}
                {"did":"action","passed":[{"type":"echo","payload":{"a":1},"error":true}],"emitted":[{"type":"told","payload":{"a":1},"error":true}]}
                {"did":"action","passed":[{"type":"count","payload":2}],"state":{"count":1}}
                {"did":"action","passed":[{"type":"count","payload":3}],"state":{"count":2}}
                {"did":"action","passed":[]}
                {"did":"action","passed":[{"type":"told","payload":"changed"}]}
                {"did":"stop","emitted":[{"type":"told","payload":"stopped"}]}

                """, "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `work on threads of a plugin is waited for`() throws {
        let outcome = try probe("ForeignProbe", [], #"{"type":"thread"}"#)
        #expect(outcome.output.contains(#""payload":"from a thread""#), "\(outcome.output)")
    }

    @Test func `the clock stands still until a line moves it, and effects that sleep are counted`() throws {
        let outcome = try probe(
            "TimedPlugin", ["--clock", "1970-01-02T00:00:00Z"], #"{"type":"date"}"#,
            #"{"type":"remind","payload":{"id":"tea","after":5}}"#, #"{"advance":"4s"}"#, #"{"type":"date"}"#,
            #"{"advance":"1m"}"#, #"{"type":"date"}"#)
        #expect(
            outcome.output == """
                {"did":"start"}
                {"did":"action","emitted":[{"type":"dated","payload":86400.0}]}
                {"did":"action","running":1}
                {"did":"advance","running":1}
                {"did":"action","emitted":[{"type":"dated","payload":86404.0}],"running":1}
                {"did":"advance","emitted":[{"type":"due","payload":{"id":"tea"}}]}
                {"did":"action","emitted":[{"type":"dated","payload":86464.0}]}
                {"did":"stop"}

                """, "\(outcome.errors)")
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    @Test func `each line is answered before the next one is read`() throws {
        let child = try ChildProcess(
            BuiltProducts.program, ["probe", BuiltProducts.library("TimedPlugin")], in: BuiltProducts.folder)
        try child.waitForOutput("{\"did\":\"start\"}\n")
        child.write("{\"type\":\"watch\"}\n")
        try child.waitForOutput("{\"did\":\"action\",\"running\":1}\n")
        child.write("{\"advance\":\"2m\"}\n")
        try child.waitForOutput(
            "{\"did\":\"advance\",\"emitted\":[{\"type\":\"tick\"},{\"type\":\"tick\"}],\"running\":1}\n")
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.output.hasSuffix("{\"did\":\"stop\"}\n"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `behind a closed gate the plugin hears nothing, and its effects are ended`() throws {
        let outcome = try probe(
            "TimedPlugin", [], #"{"type":"remind","payload":{"id":"tea","after":5}}"#, #"{"gate":"bypass"}"#,
            #"{"type":"date"}"#, #"{"gate":"active"}"#, #"{"type":"ask"}"#)
        #expect(
            outcome.output == """
                {"did":"start"}
                {"did":"action","running":1}
                {"did":"gate"}
                {"did":"action"}
                {"did":"gate"}
                {"did":"action","emitted":[{"type":"answered"}]}
                {"did":"stop"}

                """, "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a line that is wrong is told and the next one is done, with 65`() throws {
        let outcome = try probe(
            "TimedPlugin", [], #"{"type":"remnd"}"#, #"{"type":"remind","payload":{}}"#, "[",
            #"{"type":"ask"}"#)
        #expect(
            outcome.output == """
                {"did":"start"}
                {"did":"action","error":"1:1: expected an action that timed hears, found \\"remnd\\"; did you mean \\"remind\\"?"}
                {"did":"action","reports":["input:2: timed/remind for timed: the payload does not fit: the whole value: expected a member \\"id\\", found none"]}
                {"did":"nothing","error":"3:2: expected a value, found the end of the text"}
                {"did":"action","emitted":[{"type":"answered"}]}
                {"did":"stop"}

                """, "\(outcome.errors)")
        #expect(outcome.exitCode == 65)
    }

    @Test func `an effect that does not end in time is told, and nothing follows, with 65`() throws {
        let outcome = try probe(
            "TimedPlugin", ["--limit", "0.1"], #"{"type":"stay"}"#, #"{"type":"ask"}"#)
        #expect(
            outcome.output == """
                {"did":"start"}
                {"did":"action","running":1,"error":"after 0.1 s 1 effect had not ended; let the plugin end it, or allow more time with --limit"}

                """, "\(outcome.errors)")
        #expect(outcome.exitCode == 65)
    }

    @Test func `code that does not come back is told, with 65`() throws {
        let outcome = try probe("TimedPlugin", ["--limit", "0"], #"{"type":"loop"}"#)
        #expect(
            outcome.output == """
                {"did":"start"}
                {"did":"action","error":"after 0 s timed had not returned; it runs or waits forever"}

                """, "\(outcome.errors)")
        #expect(outcome.exitCode == 65)
    }

    @Test func `a plugin that ends the process leaves the answers so far, with 70`() throws {
        let outcome = try probe(
            "ForeignFatal", [], #"{"type":"perform","payload":"none"}"#,
            #"{"type":"perform","payload":"exit"}"#)
        #expect(outcome.output == "{\"did\":\"start\"}\n{\"did\":\"action\"}\n")
        #expect(
            outcome.errors
                == "gatehouse: a plugin called exit(0); only the host may end the run, and the remaining input is not processed\ngatehouse: line 2 of the input was being done\n"
        )
        #expect(outcome.exitCode == 70)
    }

    @Test func `a plugin that crashes leaves the answers so far, and ends the command by its signal`() throws
    {
        let outcome = try probe("ForeignFatal", [], #"{"type":"perform","payload":"trap"}"#)
        #expect(outcome.output == "{\"did\":\"start\"}\n")
        #expect(outcome.exitCode == nil)
    }

    @Test func `settings are handed over, and refused ones told, with 69`() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{ "refuse": "greeting" }"#, to: "settings.json")
        let outcome = try probe("ForeignProbe", ["--settings", folder("settings.json")])
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("what it refuses: "), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
    }

    @Test(arguments: [
        ("--settings", "[]", "expected an object such as {\"limit\":5}, found an array"),
        ("--settings", "{ \"silent\": 1 }", "/silent: expected true or false, found 1; correct it"),
        ("--state", "{}", "expected an object such as {\"version\":1,\"state\":{}}, found something else"),
    ])
    func `a file that cannot be used is told, with 64`(option: String, text: String, sentence: String) throws
    {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "file.json")
        let outcome = try probe("ForeignProbe", [option, folder("file.json")])
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("file.json: \(sentence)\n"), "\(outcome.errors)")
        #expect(outcome.exitCode == 64)
    }

    @Test func `a state that an earlier version has left is taken over`() throws {
        let folder = try TemporaryFolder()
        try folder.write("{ \"version\": 1,\n  \"state\": { \"count\": 4 } }\n", to: "state.json")
        let outcome = try probe("ForeignMigrant", ["--state", folder("state.json")], #"{"type":"count"}"#)
        #expect(
            outcome.output == """
                {"did":"start","emitted":[{"type":"told","payload":"started"}],"state":{"sum":4},"log":["info: is being made"]}
                {"did":"action","passed":[{"type":"count"}],"state":{"sum":5}}
                {"did":"stop","emitted":[{"type":"told","payload":"stopped"}]}

                """, "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["NoNote", "ForeignRefusing", "Nowhere"])
    func `a library that is refused says why, with 69 and without an answer`(target: String) throws {
        let outcome = try probe(target, [], #"{"type":"hello"}"#)
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("lib\(target).so: "), "\(outcome.errors)")
        #expect(outcome.exitCode == 69)
    }

    @Test func `what a plugin prints is no answer`() throws {
        let compiler = try #require(Workshop.compiler)
        let folder = try TemporaryFolder()
        let source = """
            #include <stdio.h>
            #include "gatehouse_foreign.h"
            GATEHOUSE_MANIFEST({ "id": "talker", "version": "1.0.0", "summary": "Prints", "consumes": ["talk"] });
            static void talk(void *self, gatehouse_instance instance, const struct gatehouse_action *action) {
                puts("a word");
            }
            static const struct gatehouse_foreign_plugin_v1 plugin = {.size = sizeof plugin, .run_after = talk};
            const struct gatehouse_foreign_plugin_v1 *gatehouse_foreign_v1(const struct gatehouse_foreign_host_v1 *host) {
                return &plugin;
            }
            """
        #expect(
            try Workshop.build(
                "libtalker.so", of: source, in: folder, with: compiler,
                ["-I\(BuiltProducts.sdk)/Sources/CGatehouse/include"]) == nil)
        let outcome = try ChildProcess.run(
            arguments: ["probe", "libtalker.so"], input: Array("{\"type\":\"talk\"}\n".utf8), in: folder.path)
        #expect(outcome.output == "{\"did\":\"start\"}\n{\"did\":\"action\"}\n{\"did\":\"stop\"}\n")
        #expect(outcome.errors == "a plugin: a word\n")
        #expect(outcome.exitCode == 0)
    }
}
