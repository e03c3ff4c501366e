// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Changes of the configuration that a running host must get over; the numbers are those of the list in Architecture.md.
@Suite(.timeLimit(.minutes(10))) struct ConfigurationCasesTests {
    @Test func `case 1: a bad configuration under load changes nothing, and the next good one heals`() throws
    {
        let text = { (end: String) in
            #"{ "ingress": { "listen": ["unix:in.sock"] }, "plugins": [{ "id": "counter" }]\#(end)"#
        }
        let live = try LiveHost(text(" }"), libraries: ["CounterPlugin"], ["--input", "-", "--no-control"])
        let connection = try LocalConnection(live.scene.folder("in.sock"))
        let count = 20_000
        let writer = try TestWriter {
            for _ in 0..<count { connection.write(#"{"type":"counter/increment"}"# + "\n") }
            connection.write("mark\n")
        }
        try live.reload(text(""), expecting: "generation 1 runs on\n")
        try live.reload(text(#", "setings": 1 }"#), expecting: "unknown key")
        try live.reload(
            text(" }").replacing(#""counter" }"#, with: #""counter", "lift": { "dependencies": [] } }"#),
            expecting: "generation 2 runs")
        try live.child.waitForErrors("in.sock#1:\(count + 1):1: ")
        writer.join()
        live.child.signal(SIGTERM)
        let end = try live.finish()
        let told = end.errors.filter { !$0.hasPrefix("in.sock#1:") }
        #expect(
            told == [
                "gatehouse: listening at in.sock",
                "plugins.json:1:78: expected ',' or '}', found the end of the text",
                "gatehouse: the change is refused, generation 1 runs on",
                #"plugins.json:1:80: /setings: unknown key "setings", expected "$schema", "name", "control", "directory", "discovery", "placement", "trust", "images", "state", "stateFile", "journal", "cluster", "ingress", "limits", "supervise", "log", "traces" or "plugins"; rename or remove it"#,
                "gatehouse: the change is refused, generation 1 runs on",
                "gatehouse: generation 2 runs, after N ms: replace counter: other dependencies",
                "gatehouse: signal 15: no more input is read; a second signal ends at once",
                "gatehouse: \(count + 5) lines, \(count) actions, 5 rejected, ended early by signal 15",
            ])
        #expect(end.state == #"{"counter":{"count":\#(count)}}"#)
        #expect(end.exitCode == 0)
    }

    @Test func `case 15: library and configuration change together, in one generation`() throws {
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantOnePlugin"], ["--watch"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.settle()
        // However long the machine takes between the two: the host does not look before both are there.
        live.child.signal(SIGSTOP)
        try live.scene.folder.write(
            #"{ "plugins": [{ "id": "sums", "was": "migrant", "library": "libMigrantTwoPlugin.so" }] }"#,
            to: "plugins.json")
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        live.child.signal(SIGCONT)
        try live.child.waitForErrors("generation 2 runs")
        live.write(#"{"type":"sums/add","payload":2}"#)
        let end = try live.finish()
        #expect(end.state == #"{"sums":{"sum":7}}"#)
        #expect(
            end.errors == [
                "gatehouse: generation 2 runs, after N ms: replace migrant by sums: version 1.0.0 by 2.0.0",
                "gatehouse: 4 lines, 2 actions, 2 rejected",
            ])
    }

    @Test func `case 17: two instances exchange the places of their slices, and each keeps its state`() throws
    {
        let entry = { (id: String, place: String) in
            #"{ "id": "\#(id)", "library": "libCounterPlugin.so", "lift": { "state": "/\#(place)" } }"#
        }
        let live = try LiveHost(
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

    @Test func `case 18: an id that is renamed takes its state along with "was", and leaves it without`()
        throws
    {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.reload(
            #"{ "plugins": [{ "id": "tally", "was": "counter", "library": "libCounterPlugin.so" }] }"#,
            expecting: "generation 2 runs")
        live.send("tally/increment", "counter/increment")
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
}
