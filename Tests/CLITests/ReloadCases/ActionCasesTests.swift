// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// Effects and actions that are on their way while the generation changes.
@Suite(.timeLimit(.minutes(10))) struct ActionCasesTests {
    @Test func `case 9: an effect that ignores its cancellation is named, and begins again`() throws {
        let live = try LiveHost(
            #"{ "discovery": "ignore", "plugins": [{ "id": "ending" }] }"#, libraries: ["EndingPlugin"],
            ["--grace", "0.2"])
        live.send("ending/stay", "ending/stay")
        try live.reload(
            #"{ "discovery": "ignore", "plugins": [{ "id": "ending", "lift": { "dependencies": ["clock"] } }] }"#,
            expecting: "generation 2 runs")
        live.child.signal(SIGINT)
        let end = try live.finish()
        #expect(
            end.errors.prefix(2) == [
                "gatehouse: warning: ending: 2 of its effects were still running 0.2 s after it was asked to end, and begin again",
                "gatehouse: generation 2 runs, after N ms: replace ending: other dependencies",
            ])
        #expect(end.exitCode == 75)
    }

    @Test func `case 10: what the old generation emits after the swap goes nowhere, and is counted`() throws {
        let text = { (label: String) in
            #"{ "name": "shop", "plugins": [{ "id": "lingering", "settings": { "label": "\#(label)" } }] }"#
        }
        let live = try LiveHost(text("one"), libraries: ["LingeringPlugin"], ["--control"])
        live.send("lingering/linger")
        live.write(#"{"type":"lingering/speak","payload":"before"}"#)
        try live.reload(text("two"), expecting: "generation 2 runs")
        // Now the old one is gone. Its effect was cancelled and says nothing; what its IO still says comes late.
        live.write(#"{"type":"lingering/speak","payload":"between"}"#)
        live.send("lingering/linger")
        live.write(#"{"type":"lingering/speak","payload":"after"}"#)
        try live.settle()
        #expect(try JSONText.parse(live.ctl("status", "--json").output)["lateOutputs"] == 2)
        let letters = try JSONText.parse(live.ctl("dead-letters", "--kind", "late", "--json").output)
        #expect(letters["kept"] == 2)
        #expect(letters["letters"]?[0]?["instance"] == "lingering")
        #expect(
            letters["letters"]?[0]?["reason"]
                == "a reload had taken the instance lingering away when it came")
        let end = try live.finish()
        #expect(
            end.state
                == #"{"lingering":{"said":["beforefromaneffect","beforefromanIO","afterfromaneffect","afterfromanIO"]}}"#
        )
        #expect(
            end.errors.dropFirst() == [
                "gatehouse: generation 2 runs, after N ms: replace lingering: other settings",
                "gatehouse: 8 lines, 10 actions, 3 rejected, 2 outputs dropped because their instances were gone",
            ])
        #expect(end.exitCode == 0)
    }

    @Test func `case 11: a gate that an action closes during the reload is closed afterwards`() throws {
        let control =
            #"{ "control": { "type": "go" }, "turnOn": true, "turnOff": false, "default": "active" }"#
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "migrant", "gate": \#(control) }, { "id": "counter", "gate": \#(control) }] }"#,
            libraries: ["MigrantOnePlugin", "CounterPlugin"], environment: Checkpoint.environment)
        let checkpoint = try Checkpoint(in: live.scene.folder)
        live.write(#"{"type":"migrant/plan","payload":{"deed":"halt:\#(checkpoint.path)"}}"#)
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.settle()
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        live.child.signal(SIGHUP)
        // It is tried first, and built then; in between the gates are open, closed and open.
        while try checkpoint.waitForArrival() != live.child.identifier { checkpoint.release() }
        live.send("counter/increment")
        live.write(#"{"type":"go","payload":false}"#)
        live.send("counter/increment")
        live.write(#"{"type":"migrant/add","payload":10}"#)
        try live.settle()
        checkpoint.release(9)
        try live.child.waitForErrors("generation 2 runs")
        live.send("counter/increment")
        live.write(#"{"type":"migrant/add","payload":100}"#)
        live.write(#"{"type":"go","payload":true}"#)
        live.send("counter/increment")
        live.write(#"{"type":"migrant/add","payload":1000}"#)
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":1005},"counter":{"count":2}}"#)
        #expect(
            end.errors.first
                == "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0")
    }

    @Test
    func `case 12: an instance asks for the reload from within an action, and what follows is processed`()
        throws
    {
        let text = { (step: Int) in
            """
            { "plugins": [
                { "id": "rules", "allow": ["host/reload", "counter/*"], "settings": { "rules": [
                    { "when": "deploy", "emit": "counter/increment" },
                    { "when": "deploy", "emit": "host/reload" },
                    { "when": "deploy", "emit": "counter/increment" } ] } },
                { "id": "counter", "settings": { "step": \(step) } }] }
            """
        }
        let live = try LiveHost(text(1), libraries: ["RulesPlugin", "CounterPlugin"])
        try live.scene.folder.write(text(10), to: "plugins.json")
        live.send("deploy")
        try live.child.waitForErrors("generation 2 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":12}}"#)
        #expect(
            end.errors == [
                "gatehouse: generation 2 runs, after N ms: replace counter: other settings",
                "gatehouse: 3 lines, 5 actions, 1 rejected",
            ])
    }

    @Test func `case 12: an input that may not ask for a reload is refused`() throws {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
        live.send("host/reload")
        try live.settle()
        let outcome = try live.finish()
        #expect(
            outcome.errors.last
                == "gatehouse: 3 lines, 0 actions, 2 rejected, 1 refused or not decodable")
    }

    @Test func `case 22: a queued action whose hearers are gone passes unheard`() throws {
        // The probe answers each spin with a spin, so that one is in the queue at any moment.
        let text = { (entries: String) in
            """
            { "name": "shop", "discovery": "ignore", "limits": { "chain": 1000000, "actions": 100000000 },
              "plugins": [{ "id": "counter" }\(entries)] }
            """
        }
        let live = try LiveHost(
            text(#", { "id": "probe" }"#), libraries: ["CounterPlugin", "ProbePlugin"],
            ["--grace", "0.2", "--control"])
        live.send("counter/increment")
        try live.settle()
        let spinner = try ChildProcess(
            BuiltProducts.program, ["ctl", "dispatch", "probe/spin"], in: live.scene.folder.path,
            environment: live.scene.environment)
        // Whoever comes to drain when the reload asks for its turn, the reload is not kept by the chain.
        while try JSONText.parse(live.ctl("status", "--json").output)["actions"]?.intValue ?? 0 < 100 {}
        live.send("counter/increment")
        try live.reload(text(""), settling: false, expecting: "generation 2 runs")
        #expect(try spinner.finish().exitCode == 0)
        live.send("counter/increment", "probe/spin")
        try live.settle()
        live.child.closeInput()
        let outcome = try live.child.finish()
        let state = try JSONText.parse(outcome.output)
        #expect(state["counter"]?["count"] == 3)
        let heard = try #require(state["probe"]?["heard"]?.intValue)
        // Three that the counter heard, those that the probe heard, the one in the queue, and one that came afterwards.
        #expect(heard > 0)
        #expect(
            outcome.errorLines.last
                == "gatehouse: 7 lines, \(heard + 5) actions, 3 rejected, 1 of 2 types unheard: probe/spin")
        #expect(outcome.exitCode == 0)
    }
}
