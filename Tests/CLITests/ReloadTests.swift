// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What a running host does when its configuration or its libraries change.
@Suite struct ReloadTests {
    /// A running host whose input stays open.
    private final class Live {
        let scene: Scene
        let child: ChildProcess
        /// Lines that were written.
        private var lines = 0

        init(
            _ configuration: String, libraries: [String], _ arguments: [String] = [],
            environment: [String: String] = [:]
        ) throws {
            scene = try Scene(configuration, libraries: libraries)
            child = try ChildProcess(
                BuiltProducts.program, ["run"] + arguments, in: scene.folder.path,
                environment: scene.environment.merging(environment) { $1 }, keeping: scene.folder)
            try settle()
        }

        /// Sends actions.
        func send(_ types: String...) {
            for type in types { write(#"{"type":"\#(type)"}"#) }
        }

        /// Sends a line.
        func write(_ line: String) {
            child.write(line + "\n")
            lines += 1
        }

        /// Waits until everything that was sent is processed: a line that is no action is told behind it.
        func settle() throws {
            write("?")
            try child.waitForErrors("standard input:\(lines):1")
        }

        /// Writes the configuration and asks the host to look at it; waits for the sentence in which it says what came of it.
        func reload(_ configuration: String? = nil, expecting sentence: String) throws {
            try settle()
            if let configuration { try scene.folder.write(configuration, to: "plugins.json") }
            child.signal(SIGHUP)
            try child.waitForErrors(sentence)
        }

        /// Ends the input; gives the state, and what was told, with `N` for each number of milliseconds.
        func finish() throws -> (state: String, errors: [String], exitCode: Int32?) {
            child.closeInput()
            let outcome = try child.finish()
            let errors = outcome.errors.replacing(/after \d+ ms/, with: "after N ms")
            return (
                outcome.output.filter { !$0.isWhitespace },
                errors.split(separator: "\n").filter { !$0.hasPrefix("standard input:") }.map(String.init),
                outcome.exitCode
            )
        }
    }

    private static let counter = #"{ "plugins": [{ "id": "counter" }] }"#

    @Test func `nothing is done when nothing has changed`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        try live.reload("// The same.\n" + Self.counter, expecting: "runs on")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":1}}"#)
        #expect(end.errors.first == "gatehouse: nothing has changed, generation 1 runs on")
        #expect(end.exitCode == 0)
    }

    @Test func `a refused change that is taken back is told, without being asked for`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"], ["--watch"])
        try live.scene.folder.write(#"{ "plugins": "#, to: "plugins.json")
        try live.child.waitForErrors("gatehouse: the change is refused, generation 1 runs on\n")
        try live.scene.folder.write(Self.counter, to: "plugins.json")
        try live.child.waitForErrors("gatehouse: nothing has changed, generation 1 runs on\n")
        _ = try live.finish()
    }

    @Test func `an instance with other settings goes on with its state`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.reload(
            #"{ "plugins": [{ "id": "counter", "settings": { "step": 5 } }] }"#,
            expecting: "generation 2 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":6}}"#)
        #expect(
            end.errors.first == "gatehouse: generation 2 runs, after N ms: replace counter: other settings")
    }

    @Test func `settings that the plugin does not take leave the running generation as it is`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.reload(
            #"{ "plugins": [{ "id": "counter", "settings": { "step": "five" } }] }"#, expecting: "runs on")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":2}}"#)
        #expect(
            end.errors.prefix(2) == [
                #"plugins.json:1:56: /plugins/0/settings/step: expected an integer, found "five"; correct it"#,
                "gatehouse: the change is refused, generation 1 runs on",
            ])
    }

    @Test func `a bad configuration under load is told as check tells it, and the next good one heals`()
        throws
    {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        for _ in 0..<500 { live.send("counter/increment") }
        try live.reload(#"{ "plugins": [{ "id": "counter" "#, expecting: "runs on")
        for _ in 0..<500 { live.send("counter/increment") }
        try live.reload(
            #"{ "plugins": [{ "id": "counter", "settings": { "step": 1 } }] }"#,
            expecting: "generation 2 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":1001}}"#)
        #expect(
            end.errors.prefix(3) == [
                "plugins.json:1:33: expected ',' or '}', found the end of the text",
                "gatehouse: the change is refused, generation 1 runs on",
                "gatehouse: generation 2 runs, after N ms: replace counter: other settings",
            ])
    }

    @Test func `instances come, go and change places`() throws {
        let live = try Live(
            #"{ "plugins": [{ "id": "a", "library": "libCounterPlugin.so" }, { "id": "b", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["CounterPlugin"])
        live.send("a/increment", "b/increment", "b/increment")
        try live.reload(
            #"{ "plugins": [{ "id": "c", "library": "libCounterPlugin.so" }, { "id": "b", "library": "libCounterPlugin.so" }, { "id": "a", "library": "libCounterPlugin.so" }] }"#,
            expecting: "generation 2 runs")
        live.send("a/increment", "c/increment")
        try live.reload(
            #"{ "plugins": [{ "id": "b", "library": "libCounterPlugin.so" }] }"#,
            expecting: "generation 3 runs")
        live.send("a/increment", "b/increment")
        let end = try live.finish()
        // What belonged to those that went is kept.
        #expect(end.state == #"{"c":{"count":1},"a":{"count":2},"b":{"count":3}}"#)
        #expect(
            end.errors.prefix(2) == [
                "gatehouse: generation 2 runs, after N ms: start c; move b",
                "gatehouse: generation 3 runs, after N ms: stop c; stop a",
            ])
    }

    @Test func `an instance that comes back finds the state that it left`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.reload(#"{ "discovery": "ignore" }"#, expecting: "generation 2 runs")
        live.send("counter/increment")
        try live.reload(Self.counter, expecting: "generation 3 runs")
        live.send("counter/increment")
        #expect(try live.finish().state == #"{"counter":{"count":2}}"#)
    }

    @Test func `an id that is renamed takes its state along with "was", and leaves it without`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.reload(
            #"{ "plugins": [{ "id": "tally", "was": "counter", "library": "libCounterPlugin.so" }] }"#,
            expecting: "generation 2 runs")
        live.send("tally/increment")
        try live.reload(
            #"{ "plugins": [{ "id": "fresh", "library": "libCounterPlugin.so" }] }"#,
            expecting: "generation 3 runs")
        live.send("fresh/increment")
        let end = try live.finish()
        #expect(end.state == #"{"tally":{"count":2},"fresh":{"count":1}}"#)
        #expect(
            end.errors.prefix(2) == [
                "gatehouse: generation 2 runs, after N ms: replace counter by tally",
                "gatehouse: generation 3 runs, after N ms: start fresh; stop tally",
            ])
    }

    @Test func `two instances exchange the places of their slices, and each keeps its state`() throws {
        let entry = { (id: String, place: String) in
            #"{ "id": "\#(id)", "library": "libCounterPlugin.so", "lift": { "state": "/\#(place)" } }"#
        }
        let live = try Live(
            "{ \"plugins\": [\(entry("a", "one")), \(entry("b", "two"))] }", libraries: ["CounterPlugin"])
        live.send("a/increment", "b/increment", "b/increment")
        try live.reload(
            "{ \"plugins\": [\(entry("a", "two")), \(entry("b", "one"))] }", expecting: "generation 2 runs")
        live.send("a/increment")
        let end = try live.finish()
        #expect(end.state == #"{"two":{"count":2},"one":{"count":2}}"#)
        #expect(
            end.errors.first == "gatehouse: generation 2 runs, after N ms: change a: state; change b: state")
    }

    @Test func `a gate that an operator has moved stays where it is until its entry changes`() throws {
        let text = { (gate: String, step: Int) in
            """
            { "ingress": { "allow": ["*", "host/*"] },
              "plugins": [{ "id": "counter", "gate": \(gate), "settings": { "step": \(step) } }] }
            """
        }
        let live = try Live(text(#""active""#, 1), libraries: ["CounterPlugin"])
        live.write(#"{"type":"host/gate/close","payload":"counter"}"#)
        try live.reload(text(#""active""#, 2), expecting: "generation 2 runs")
        live.send("counter/increment")
        try live.reload(
            text(
                #"{ "control": { "type": "counter/go" }, "turnOn": true, "turnOff": false, "default": "active" }"#,
                2), expecting: "generation 3 runs")
        live.send("counter/increment")
        #expect(try live.finish().state == #"{"counter":{"count":2}}"#)
    }

    @Test func `the action host/reload looks at the configuration again, also when an instance emits it`()
        throws
    {
        let live = try Live(
            #"{ "ingress": { "allow": ["*", "host/*"] }, "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        try live.scene.folder.write(
            #"{ "ingress": { "allow": ["*", "host/*"] }, "plugins": [{ "id": "counter", "gate": "bypass" }] }"#,
            to: "plugins.json")
        live.send("counter/increment", "host/reload")
        try live.child.waitForErrors("generation 2 runs")
        #expect(try live.finish().exitCode == 0)
    }

    @Test(arguments: [
        (#""ingress": { "deny": ["a"] }, "#, "/ingress", 1, "ingress"),
        (#""limits": { "chain": 5 }, "#, "/limits", 1, "limits"),
    ])
    func `what a host cannot change while it runs is refused`(
        members: String, pointer: String, line: Int, key: String
    ) throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        try live.reload(#"{ \#(members)"plugins": [{ "id": "counter" }] }"#, expecting: "runs on")
        let end = try live.finish()
        #expect(
            end.errors.prefix(2) == [
                "plugins.json:1:\(5 + key.count + 2): \(pointer): \"\(key)\" cannot change while the host runs; restart it",
                "gatehouse: the change is refused, generation 1 runs on",
            ])
    }

    @Test func `what changes in the file's state changes in the running one, and nothing else of it`() throws
    {
        let live = try Live(
            #"{ "state": { "on": true, "kept": 1 }, "ingress": { "allow": ["*", "host/*"] } }"#, libraries: []
        )
        live.write(#"{"type":"host/state/merge","payload":{"kept":2}}"#)
        try live.reload(
            #"{ "state": { "on": false, "kept": 1 }, "ingress": { "allow": ["*", "host/*"] } }"#,
            expecting: "generation 2 runs")
        let end = try live.finish()
        #expect(end.state == #"{"on":false,"kept":2}"#)
        #expect(
            end.errors.first == #"gatehouse: generation 2 runs, after N ms: change the state: {"on":false}"#)
    }

    // MARK: - Libraries

    @Test func `a library with other bytes takes over the state by migrating it`() throws {
        let live = try Live(#"{ "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantOnePlugin"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        FileSystem.remove(live.scene.folder("plugins/libMigrantOnePlugin.so"))
        try live.scene.addLibrary("MigrantTwoPlugin")
        try live.reload(expecting: "generation 2 runs")
        live.write(#"{"type":"migrant/add","payload":2}"#)
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":7}}"#)
        #expect(
            end.errors.first
                == "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0")
    }

    @Test(arguments: [
        (
            "throw",
            "its state of version 1 cannot be taken over: /total: expected a number of the first half, found another"
        ),
        ("trap", "in a rehearsal it died by SIGILL while the state"),
        (
            "loop",
            "in a rehearsal it did not come back within 1 s while the state of the instance migrant was taken over"
        ),
        ("misfit", "its state of version 1 cannot be taken over: /sum: expected an integer, found a string"),
    ])
    func `a state that cannot be migrated leaves the old library running`(deed: String, sentence: String)
        throws
    {
        let limit = deed == "loop" ? 1 : 30
        let configuration = #"{ "limits": { "rehearsal": \#(limit) }, "plugins": [{ "id": "migrant" }] }"#
        let live = try Live(configuration, libraries: ["MigrantOnePlugin"])
        live.write(#"{"type":"migrant/plan","payload":{"deed":"\#(deed)"}}"#)
        FileSystem.remove(live.scene.folder("plugins/libMigrantOnePlugin.so"))
        try live.scene.addLibrary("MigrantTwoPlugin")
        try live.reload(expecting: "runs on")
        live.write(#"{"type":"migrant/add","payload":2}"#)
        let end = try live.finish()
        #expect(end.state.contains(#""total":2"#))
        #expect(end.errors.contains { $0.contains(sentence) }, "\(end.errors)")
        #expect(end.errors.contains("gatehouse: the change is refused, generation 1 runs on"))
    }

    @Test func `an older library that does not read the newer state is refused`() throws {
        let live = try Live(#"{ "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantTwoPlugin"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        FileSystem.remove(live.scene.folder("plugins/libMigrantTwoPlugin.so"))
        try live.scene.addLibrary("MigrantOnePlugin")
        try live.reload(expecting: "runs on")
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":5}}"#)
        #expect(
            end.errors.first
                == "./plugins/libMigrantOnePlugin.so: refused for the instance migrant: its state of version 2 cannot be taken over: expected state of version at most 1, found version 2; install a library that knows this version, or remove the state"
        )
    }

    @Test(arguments: ["cut off", "removed", "no library"])
    func `a library that cannot be loaded leaves the one that runs alone`(change: String) throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        let path = live.scene.folder("plugins/libCounterPlugin.so")
        switch change {
        case "cut off": try FileSystem.setSize(4_000, of: path)
        case "removed": FileSystem.remove(path)
        default: try FileSystem.write(Array("text".utf8), to: path)
        }
        try live.reload(expecting: "runs on")
        try live.scene.addLibrary("CounterPlugin")
        try live.reload(expecting: "nothing has changed")
        live.send("counter/increment")
        #expect(try live.finish().state == #"{"counter":{"count":2}}"#)
    }

    @Test func `a library and its configuration change together`() throws {
        let live = try Live(#"{ "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantOnePlugin"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        FileSystem.remove(live.scene.folder("plugins/libMigrantOnePlugin.so"))
        try live.scene.addLibrary("MigrantTwoPlugin")
        try live.reload(
            #"{ "plugins": [{ "id": "sums", "was": "migrant", "library": "libMigrantTwoPlugin.so" }] }"#,
            expecting: "generation 2 runs")
        let end = try live.finish()
        #expect(end.state == #"{"sums":{"sum":5}}"#)
        #expect(
            end.errors.first
                == "gatehouse: generation 2 runs, after N ms: replace migrant by sums: version 1.0.0 by 2.0.0"
        )
    }

    @Test func `what only one can hold is let go by the old before the new takes it`() throws {
        let text = { (file: String, label: String) in
            #"{ "plugins": [{ "id": "holding", "settings": { "file": "\#(file)", "label": "\#(label)" } }] }"#
        }
        let live = try Live(text("held", "one"), libraries: ["HoldingPlugin"])
        live.write(#"{"type":"holding/add","payload":5}"#)
        try live.reload(text("held", "two"), expecting: "generation 2 runs")
        #expect(FileSystem.exists(live.scene.folder("held")))
        // The new one cannot, and the old one takes the file back.
        try live.reload(text("nowhere/held", "three"), expecting: "runs on")
        #expect(FileSystem.exists(live.scene.folder("held")))
        live.write(#"{"type":"holding/add","payload":2}"#)
        let end = try live.finish()
        #expect(end.state == #"{"holding":{"sum":7}}"#)
        #expect(
            end.errors.filter { !$0.contains("lines") } == [
                "gatehouse: generation 2 runs, after N ms: replace holding: other settings",
                "holding: is failing: three cannot take its file",
                "holding: it says that it is failing when it starts: three cannot take its file",
                "gatehouse: the change is refused, generation 2 runs on",
            ])
        #expect(!FileSystem.exists(live.scene.folder("held")))
    }

    @Test func `a library whose entry refuses is refused, and the rest runs on`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin", "RefusingEntryPlugin"])
        try live.reload(
            #"{ "plugins": [{ "id": "counter" }, { "id": "other", "library": "libRefusingEntryPlugin.so" }] }"#,
            expecting: "runs on")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":1}}"#)
        #expect(end.errors.contains { $0.contains("it never works on Fridays") }, "\(end.errors)")
    }

    @Test func `an effect that does not end is given up when its time is over, and named`() throws {
        let live = try Live(
            #"{ "discovery": "ignore", "plugins": [{ "id": "ending" }] }"#, libraries: ["EndingPlugin"],
            ["--grace", "0.2"])
        live.send("ending/stay", "ending/stay")
        try live.reload(
            #"{ "discovery": "ignore", "plugins": [{ "id": "ending", "lift": { "dependencies": ["clock"] } }] }"#,
            expecting: "generation 2 runs")
        let end = try live.finish()
        #expect(
            end.errors.first
                == "gatehouse: warning: ending: 2 of its effects were still running 0.2 s after it was asked to end, and are given up"
        )
        #expect(end.exitCode == 0)
    }

    // MARK: - Who asks

    @Test func `a thousand signals lead to few looks`() throws {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"])
        for _ in 0..<1_000 { live.child.signal(SIGHUP) }
        try live.reload(
            #"{ "plugins": [{ "id": "counter", "settings": { "step": 2 } }] }"#,
            expecting: "generation 2 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.errors.count < 500, "\(end.errors.count)")
        #expect(end.state == #"{"counter":{"count":2}}"#)
    }

    @Test func `a file that an editor saves by renaming, and a library that is dropped in, are noticed`()
        throws
    {
        let live = try Live(Self.counter, libraries: ["CounterPlugin"], ["--watch"])
        try live.scene.folder.write(
            #"{ "plugins": [{ "id": "counter", "settings": { "step": 3 } }] }"#, to: "plugins.json~")
        try FileSystem.rename(live.scene.folder("plugins.json~"), to: live.scene.folder("plugins.json"))
        try live.child.waitForErrors("generation 2 runs")
        try live.scene.addLibrary("LoggerPlugin")
        try live.child.waitForErrors("generation 3 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":3}}"#)
        #expect(
            end.errors.prefix(2) == [
                "gatehouse: generation 2 runs, after N ms: replace counter: other settings",
                "gatehouse: generation 3 runs, after N ms: start logger",
            ])
    }

    @Test func `a run that is asked to end in the middle of a reload ends in order`() throws {
        let live = try Live(
            #"{ "limits": { "rehearsal": 30 }, "plugins": [{ "id": "migrant" }] }"#,
            libraries: ["MigrantOnePlugin"])
        live.write(#"{"type":"migrant/plan","payload":{"deed":"loop"}}"#)
        try live.settle()
        FileSystem.remove(live.scene.folder("plugins/libMigrantOnePlugin.so"))
        try live.scene.addLibrary("MigrantTwoPlugin")
        live.child.signal(SIGHUP)
        live.child.signal(SIGTERM)
        let end = try live.finish()
        #expect(end.state.contains("loop"))
        #expect(end.exitCode == 0)
    }
}
