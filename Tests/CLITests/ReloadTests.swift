// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What a running host does when its configuration or its libraries change.
@Suite(.timeLimit(.minutes(10))) struct ReloadTests {
    @Test func `nothing is done when nothing has changed`() throws {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
        try live.reload("// The same.\n" + LiveHost.counter, expecting: "runs on")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":1}}"#)
        #expect(end.errors.first == "gatehouse: nothing has changed, generation 1 runs on")
        #expect(end.exitCode == 0)
    }

    @Test func `a refused change that is taken back is told, without being asked for`() throws {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"], ["--watch"])
        try live.scene.folder.write(#"{ "plugins": "#, to: "plugins.json")
        try live.child.waitForErrors("gatehouse: the change is refused, generation 1 runs on\n")
        try live.scene.folder.write(LiveHost.counter, to: "plugins.json")
        try live.child.waitForErrors("gatehouse: nothing has changed, generation 1 runs on\n")
        _ = try live.finish()
    }

    @Test func `an instance with other settings goes on with its state`() throws {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
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
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
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

    @Test func `instances come, go and change places`() throws {
        let live = try LiveHost(
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
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.reload(#"{ "discovery": "ignore" }"#, expecting: "generation 2 runs")
        live.send("counter/increment")
        try live.reload(LiveHost.counter, expecting: "generation 3 runs")
        live.send("counter/increment")
        #expect(try live.finish().state == #"{"counter":{"count":2}}"#)
    }

    @Test func `a gate that an operator has moved stays where it is until its entry changes`() throws {
        let text = { (gate: String, step: Int) in
            """
            { "ingress": { "allow": ["*", "host/*"] },
              "plugins": [{ "id": "counter", "gate": \(gate), "settings": { "step": \(step) } }] }
            """
        }
        let live = try LiveHost(text(#""active""#, 1), libraries: ["CounterPlugin"])
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

    @Test(arguments: [
        (#""ingress": { "deny": ["a"] }, "#, "/ingress", 1, "ingress"),
        (#""limits": { "chain": 5 }, "#, "/limits", 1, "limits"),
        (#""cluster": { "engine": "redis://a", "name": "b" }, "#, "/cluster", 1, "cluster"),
    ])
    func `what a host cannot change while it runs is refused`(
        members: String, pointer: String, line: Int, key: String
    ) throws {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
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
        let live = try LiveHost(
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

    @Test func `what failed in instances that a reload has taken away still counts at the end`() throws {
        let text = { (id: String, pulse: Int) in
            #"{ "plugins": [{ "id": "\#(id)", "library": "libPatientPlugin.so", "settings": { "pulse": \#(pulse) } }] }"#
        }
        let live = try LiveHost(text("ann", 60), libraries: ["PatientPlugin"])
        let refuse = { (id: String) in live.write(#"{"type":"\#(id)/refuse","payload":{"reason":"no"}}"#) }
        refuse("ann")
        try live.reload(text("ann", 70), expecting: "generation 2 runs")
        refuse("ann")
        try live.reload(text("bob", 60), expecting: "generation 3 runs")
        refuse("bob")
        let end = try live.finish()
        #expect(
            end.errors.last
                == "gatehouse: 6 lines, 3 actions, 3 rejected, 1 failed in bob, 2 failed in ann")
        #expect(end.exitCode == 75)
    }

    // MARK: - Libraries

    @Test func `a library with other bytes takes over the state by migrating it`() throws {
        let live = try LiveHost(#"{ "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantOnePlugin"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        try live.reload(expecting: "generation 2 runs")
        live.write(#"{"type":"migrant/add","payload":2}"#)
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":7}}"#)
        #expect(
            end.errors.first
                == "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0")
    }

    @Test
    func
        `a state that its library does not take follows its instance to another place, over any number of reloads`()
        throws
    {
        func configuration(_ entry: String) -> String {
            #"{ "discovery": "ignore", "plugins": [\#(entry)] }"#
        }
        let two = #"{ "id": "migrant", "library": "libMigrantTwoPlugin.so", "lift": { "state": "/a" } }"#
        let one =
            #"{ "id": "migrant", "library": "libMigrantOnePlugin.so", "optional": true, "lift": { "state": "/b/c" } }"#
        let counter = #"{ "id": "counter" }"#
        let live = try LiveHost(
            configuration(two), libraries: ["MigrantOnePlugin", "MigrantTwoPlugin", "CounterPlugin"],
            ["--control"])
        live.write(#"{"type":"migrant/add","payload":3}"#)
        try live.reload(configuration("\(one), \(counter)"), expecting: "generation 2 runs")
        try live.reload(
            configuration(#"\#(one), \#(counter), { "id": "again", "library": "libCounterPlugin.so" }"#),
            expecting: "generation 3 runs")
        let kept = try live.ctl("state", "/a/sum")
        #expect(kept.output == "3\n", "\(kept.errors)")
        #expect(try live.ctl("state", "/b").exitCode != 0)
        try live.reload(configuration(two.replacing("/a", with: "/b/c")), expecting: "generation 4 runs")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":0},"again":{"count":0},"b":{"c":{"sum":3}}}"#)
    }

    // MARK: - What an instance that serves on has seen before

    /// A probe that is granted some dependencies, and a counter behind a gate that follows what the probe has heard last.
    private func followed(_ probe: String, _ counter: String = "") -> String {
        """
        { "discovery": "ignore", "plugins": [\(probe)
            { "id": "counter", "gate": { "state": "/probe/echo" }\(counter) }] }
        """
    }

    private let echo = { (text: String) in #"{"type":"probe/echoed","payload":{"text":"\#(text)"}}"# }

    @Test func `a gate that serves on follows the state of the instance that has taken over`() throws {
        let probe = { (dependencies: String) in
            #"{ "id": "probe", "lift": { "dependencies": [\#(dependencies)] } },"#
        }
        let live = try LiveHost(followed(probe("")), libraries: ["ProbePlugin", "CounterPlugin"])
        live.write(echo("active"))
        live.send("counter/increment")
        try live.reload(followed(probe(#""clock""#)), expecting: "generation 2 runs")
        live.send("counter/increment")
        live.write(echo("bypass"))
        live.send("counter/increment")
        try live.reload(followed(probe("")), expecting: "generation 3 runs")
        live.send("counter/increment")
        live.write(echo("active"))
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state.contains(#""counter":{"count":3}"#), "\(end.state)")
        #expect(
            end.errors.prefix(2) == [
                "gatehouse: generation 2 runs, after N ms: replace probe: other dependencies",
                "gatehouse: generation 3 runs, after N ms: replace probe: other dependencies",
            ])
    }

    @Test func `a gate that serves on follows what is kept of an instance that goes, and who comes back`()
        throws
    {
        let probe = #"{ "id": "probe" },"#
        let live = try LiveHost(followed(probe), libraries: ["ProbePlugin", "CounterPlugin"])
        live.write(echo("active"))
        live.send("counter/increment")
        try live.reload(followed(""), expecting: "generation 2 runs")
        // Nobody hears it, and what is kept stays.
        live.write(echo("bypass"))
        live.send("counter/increment")
        try live.reload(followed(probe), expecting: "generation 3 runs")
        live.send("counter/increment")
        live.write(echo("bypass"))
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state.contains(#""counter":{"count":3}"#), "\(end.state)")
    }

    @Test func `a gate that serves on follows the slice at its place, also when slices change places`() throws
    {
        let text = { (a: String, b: String) in
            """
            { "discovery": "ignore", "plugins": [
                { "id": "a", "library": "libProbePlugin.so", "lift": { "state": "/\(a)" } },
                { "id": "b", "library": "libProbePlugin.so", "lift": { "state": "/\(b)" } },
                { "id": "counter", "gate": { "state": "/x/echo" } }] }
            """
        }
        let live = try LiveHost(text("x", "y"), libraries: ["ProbePlugin", "CounterPlugin"])
        live.write(#"{"type":"a/echoed","payload":{"text":"active"}}"#)
        live.send("counter/increment")
        try live.reload(text("y", "x"), expecting: "generation 2 runs")
        // What b has not heard is at the place now.
        live.send("counter/increment")
        live.write(#"{"type":"b/echoed","payload":{"text":"active"}}"#)
        live.send("counter/increment")
        live.write(#"{"type":"a/echoed","payload":{"text":"bypass"}}"#)
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state.contains(#""counter":{"count":3}"#), "\(end.state)")
    }

    @Test func `an instance that serves on emits under its new names, and nothing that it may no longer`()
        throws
    {
        let text = { (more: String) in
            #"{ "name": "shop", "discovery": "ignore", "plugins": [{ "id": "probe"\#(more) }] }"#
        }
        let live = try LiveHost(
            text(""), libraries: ["ProbePlugin"], ["--print", "actions", "--control"])
        let ping = { (number: Int) in
            live.write(#"{"type":"probe/ping","payload":{"number":\#(number)}}"#)
        }
        ping(1)
        try live.reload(
            text(#", "lift": { "output": "answers/" }, "allow": ["answers/*"]"#),
            expecting: "generation 2 runs")
        ping(2)
        try live.reload(
            text(#", "lift": { "output": "answers/" }, "allow": ["answers/echoed"]"#),
            expecting: "generation 3 runs")
        ping(3)
        try live.reload(text(""), expecting: "generation 4 runs")
        ping(4)
        // What is given away again under another name.
        try live.reload(
            text(#", "lift": { "input": "asked/", "output": { "pong": "told/pong" } }"#),
            expecting: "generation 5 runs")
        ping(5)
        live.write(#"{"type":"asked/ping","payload":{"number":6}}"#)
        live.child.closeInput()
        let outcome = try live.child.finish()
        #expect(
            outcome.output.split(separator: "\n").filter { !$0.contains("ping") }.map(String.init) == [
                #"{"type":"probe/pong","payload":{"number":1}}"#,
                #"{"type":"answers/pong","payload":{"number":2}}"#,
                #"{"type":"probe/pong","payload":{"number":4}}"#,
                #"{"type":"told/pong","payload":{"number":6}}"#,
            ])
        #expect(
            outcome.errors.contains(
                #"probe: may not emit answers/pong: "allow" does not cover it; add it there"#),
            "\(outcome.errors)")
    }

    @Test func `a gate that a control action moves is another one when its entry says so`() throws {
        let text = { (type: String) in
            """
            { "discovery": "ignore", "plugins": [{ "id": "counter", "gate": {
                "control": { "type": "\(type)" }, "turnOn": true, "turnOff": false, "default": "active" } }] }
            """
        }
        let live = try LiveHost(text("old"), libraries: ["CounterPlugin"])
        let turn = { (type: String, on: Bool) in live.write(#"{"type":"\#(type)","payload":\#(on)}"#) }
        turn("old", false)
        live.send("counter/increment")
        try live.reload(text("new"), expecting: "generation 2 runs")
        live.send("counter/increment")
        turn("old", false)
        live.send("counter/increment")
        turn("new", false)
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":2}}"#)
    }

    @Test func `an instance that serves on brings only what it may by then`() throws {
        let text = { (allow: String) in
            """
            { "discovery": "ignore", "plugins": [{ "id": "probe",
                "lift": { "dependencies": ["ingress"] }, "allow": [\(allow)] }] }
            """
        }
        let live = try LiveHost(
            text(#""probe/*""#), libraries: ["ProbePlugin"], ["--print", "actions"])
        var echoes = 0
        let bring = {
            live.write(#"{"type":"probe/bring","payload":{"type":"host/state/merge"}}"#)
            echoes += 1
            _ = try live.child.waitForOutput { $0.ranges(of: #""type":"probe/echoed""#).count == echoes }
        }
        try bring()
        try live.reload(text(#""probe/*", "host/state/merge""#), expecting: "generation 2 runs")
        try bring()
        try live.reload(text(#""probe/*""#), expecting: "generation 3 runs")
        try bring()
        live.child.closeInput()
        let outcome = try live.child.finish()
        let lines = outcome.output.split(separator: "\n").filter { !$0.contains("probe/bring") }
        #expect(
            lines.map { $0.contains("let the instance probe send it by") ? "refused" : String($0) } == [
                "refused", #"{"type":"host/state/merge","payload":{"number":7}}"#,
                #"{"type":"probe/echoed","payload":{"text":"processed"}}"#, "refused",
            ])
    }

    @Test func `what an instance that serves on has not done is told under the name that it heard`() throws {
        let text = { (input: String) in
            """
            { "name": "served", "discovery": "ignore",
              "plugins": [{ "id": "patient", "lift": { "input": "\(input)/" } }] }
            """
        }
        let live = try LiveHost(text("old"), libraries: ["PatientPlugin"], ["--control"])
        live.write(#"{"type":"old/refuse","payload":{"reason":"first"}}"#)
        try live.reload(text("new"), expecting: "generation 2 runs")
        live.write(#"{"type":"new/refuse","payload":{"reason":"second"}}"#)
        try live.settle()
        let letters = try JSONText.parse(
            live.ctl("dead-letters", "--name", "served", "--kind", "failed", "--json").output)
        #expect(letters["letters"]?.arrayValue?.map { $0["type"] } == ["old/refuse", "new/refuse"])
        _ = try live.finish()
    }

    @Test func `what is kept for an instance that serves on is bounded anew at once`() throws {
        let text = { (keep: String) in
            """
            { "name": "kept", "discovery": "ignore",
              "plugins": [{ "id": "counter", "gate": "bypass", "keep": \(keep) }] }
            """
        }
        let live = try LiveHost(text("true"), libraries: ["CounterPlugin"], ["--control"])
        let kept = {
            try JSONText.parse(live.ctl("dead-letters", "--name", "kept", "--json").output)["kept"]
        }
        for _ in 1...4 { live.send("counter/increment") }
        try live.settle()
        #expect(try kept() == 4)
        try live.reload(text(#"{ "count": 1 }"#), expecting: "generation 2 runs")
        #expect(try kept() == 1)
        live.send("counter/increment")
        try live.settle()
        #expect(try kept() == 1)
        _ = try live.finish()
    }
}
