// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What becomes of effects that have not ended when their instance is replaced or the host ends.
@Suite(.timeLimit(.minutes(10))) struct UnfinishedCasesTests {
    /// A configuration with couriers.
    private func text(_ street: String, journal: Bool, _ more: String = "", id: String = "courier") -> String
    {
        let journal = journal ? #""journal": {}, "# : ""
        return
            #"{ "name": "post", "discovery": "ignore", \#(journal)"plugins": [{ "id": "\#(id)"\#(more), "library": "libCourierPlugin.so", "settings": { "street": "\#(street)" } }] }"#
    }

    /// What stands on the lines that begin so.
    private func lines(_ output: String, _ type: String) -> [Substring] {
        output.split(separator: "\n").filter { $0.contains(#""type":"\#(type)""#) }
    }

    /// The payload of a line without the key, which differs from run to run.
    private func payload(_ line: Substring) -> String {
        String(line).replacing(/^.*"payload":/, with: "").replacing(/"key":"[^"]*",/, with: "")
    }

    @Test(arguments: [false, true])
    func `a reload hands over what has not ended, which begins again under its key`(hasJournal: Bool) throws {
        let live = try LiveHost(
            text("one", journal: hasJournal), libraries: ["CourierPlugin"], ["--print", "actions"])
        live.write(#"{"type":"courier/send","payload":{"id":"a","parts":2,"tells":true}}"#)
        live.write(#"{"type":"courier/arrive","payload":{"id":"a","part":1}}"#)
        try live.reload(text("two", journal: hasJournal), expecting: "generation 2 runs")
        live.write(#"{"type":"courier/arrive","payload":{"id":"a","part":2}}"#)
        live.child.closeInput()
        let outcome = try live.child.finish()
        let begun = lines(outcome.output, "courier/begun")
        #expect(
            begun.map { payload($0) } == [
                #"{"id":"a","part":1,"attempt":1}}"#, #"{"id":"a","part":2,"attempt":1}}"#,
                #"{"id":"a","part":2,"attempt":1}}"#,
            ])
        let keys = begun.map { String($0).replacing(/^.*"key":"([^"]*)".*$/) { String($0.1) } }
        #expect(Set(keys).count == 1)
        #expect(lines(outcome.output, "courier/accepted").count == 1)
        #expect(lines(outcome.output, "courier/arrived").count == 2)
        #expect(lines(outcome.output, "courier/delivered").count == 1)
        #expect(outcome.exitCode == 0)
    }

    @Test func `a reload that takes the instance away leaves a dead letter for what has not ended`() throws {
        let live = try LiveHost(
            text("one", journal: false), libraries: ["CourierPlugin"], ["--control", "--grace", "0.2"])
        live.write(#"{"type":"courier/send","payload":{"id":"a","parts":1}}"#)
        try live.reload(
            text("one", journal: false, id: "van"), expecting: "generation 2 runs")
        let letters = try live.ctl("dead-letters", "--kind", "unfinished").output
        #expect(letters.contains("it had not ended, and no instance takes over from courier"), "\(letters)")
        #expect(letters.contains("courier/send"), "\(letters)")
        // It begins where the letter is dispatched again, and only what hears it now.
        _ = try live.finish()
    }

    @Test func `a service that ends leaves what has not ended to the next one`() throws {
        let live = try LiveHost(
            text("one", journal: true), libraries: ["CourierPlugin"], ["--grace", "0.2"])
        live.write(#"{"type":"courier/send","payload":{"id":"a","parts":1,"way":"finishing"}}"#)
        try live.settle()
        live.child.signal(SIGTERM)
        let end = try live.child.finish()
        #expect(end.exitCode == 0)
        #expect(end.errors.contains(", 1 effect of courier left to the next run, "), "\(end.errors)")
        let next = try LiveHost(live.scene, ["--print", "actions"])
        next.write(#"{"type":"courier/arrive","payload":{"id":"a","part":1}}"#)
        next.child.closeInput()
        let outcome = try next.child.finish()
        #expect(
            lines(outcome.output, "courier/begun").map { payload($0) } == [
                #"{"id":"a","part":1,"attempt":2}}"#
            ])
        #expect(lines(outcome.output, "courier/arrived").count == 1)
        #expect(outcome.errors.contains("1 effect begins again"), "\(outcome.errors)")
    }

    @Test(arguments: ["host", "worker"])
    func `what begins while a reload waits for something else is asked to end too, and begins again`(
        placement: String
    ) throws {
        let configuration = { (street: String) in
            """
            { "discovery": "ignore", "plugins": [
                { "id": "courier", "library": "libCourierPlugin.so", "placement": "\(placement)",
                  "settings": { "street": "\(street)" } },
                { "id": "ending", "lift": { "dependencies": [\(street == "one" ? "" : #""clock""#)] } }] }
            """
        }
        let live = try LiveHost(
            configuration("one"), libraries: ["CourierPlugin", "EndingPlugin"],
            ["--print", "actions", "--grace", "20"])
        live.write(#"{"type":"courier/send","payload":{"id":"a","parts":1,"way":"finishing"}}"#)
        try live.settle()
        try live.scene.folder.write(configuration("two"), to: "plugins.json")
        live.child.signal(SIGHUP)
        // Said when it is asked to end; what is finishing is waited for.
        try live.child.waitForOutput(#"{"type":"ending/farewell"}"#)
        live.write(#"{"type":"courier/send","payload":{"id":"b","parts":1}}"#)
        try live.settle()
        live.write(#"{"type":"courier/arrive","payload":{"id":"a","part":1}}"#)
        try live.child.waitForErrors("generation 2 runs")
        live.write(#"{"type":"courier/arrive","payload":{"id":"b","part":1}}"#)
        live.child.closeInput()
        let outcome = try live.child.finish()
        #expect(!outcome.errors.contains("still running"), "\(outcome.errors)")
        #expect(
            lines(outcome.output, "courier/begun").map { payload($0) }
                == ["a", "b", "b"].map { #"{"id":"\#($0)","part":1,"attempt":1}}"# })
        #expect(lines(outcome.output, "courier/arrived").count == 2)
        #expect(outcome.exitCode == 0)
    }
}
