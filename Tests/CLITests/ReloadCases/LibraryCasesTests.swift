// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// Changes of a library that a running host must get over.
@Suite(.timeLimit(.minutes(10))) struct LibraryCasesTests {
    private static let migrant = #"{ "plugins": [{ "id": "migrant" }] }"#

    @Test func `case 2: a library that is cut off while it is copied is refused, and taken when it is whole`()
        throws
    {
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "migrant", "library": "libMigrant.so" }] }"#, libraries: [], ["--watch"]
        ) { try $0.addLibrary("MigrantOnePlugin", as: "libMigrant.so") }
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.settle()
        let bytes = try FileSystem.read(BuiltProducts.library("MigrantTwoPlugin"))
        let path = live.scene.folder("plugins/libMigrant.so")
        try FileSystem.write(Array(bytes[..<(bytes.count / 2)]), to: path)
        try live.child.waitForErrors("generation 1 runs on")
        live.write(#"{"type":"migrant/add","payload":1}"#)
        try FileSystem.write(bytes, to: path)
        try live.child.waitForErrors("generation 2 runs")
        var end = try live.finish()
        end.errors[0] = end.errors[0].replacing(/\d+ bytes at offset \d+/, with: "N bytes at offset N")
        #expect(end.state == #"{"migrant":{"sum":6}}"#)
        #expect(
            end.errors == [
                "./plugins/libMigrant.so: refused for the instance migrant: the section header table needs N bytes at offset N, found none; the file is cut off or damaged, build or copy it again",
                "gatehouse: the change is refused, generation 1 runs on",
                "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0",
                "gatehouse: 4 lines, 2 actions, 2 rejected",
            ])
    }

    @Test
    func `case 3: a library whose file is overwritten with another is replaced, and its old code is intact`()
        throws
    {
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "migrant", "library": "libMigrant.so" }] }"#, libraries: []
        ) { try $0.addLibrary("MigrantOnePlugin", as: "libMigrant.so") }
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.settle()
        let path = live.scene.folder("plugins/libMigrant.so")
        let identity = try FileSystem.identity(of: path)
        try live.scene.addLibrary("MigrantTwoPlugin", as: "libMigrant.so")
        #expect(try FileSystem.identity(of: path) == identity)
        // Runs on in the code that the file had before.
        live.write(#"{"type":"migrant/add","payload":1}"#)
        try live.reload(expecting: "generation 2 runs")
        live.write(#"{"type":"migrant/add","payload":1}"#)
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":7}}"#)
        #expect(
            end.errors.first
                == "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0")
    }

    @Test func `case 4: a library of the same version with new bytes is another library`() throws {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.settle()
        let path = live.scene.folder("plugins/libCounterPlugin.so")
        try FileSystem.write(FileSystem.read(path) + [0], to: path)
        try live.reload(expecting: "generation 2 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":2}}"#)
        #expect(
            end.errors.first
                == "gatehouse: generation 2 runs, after N ms: replace counter: new bytes of version 1.0.0")
    }

    @Test func `case 5: an older library takes over a state of the same form`() throws {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.settle()
        let path = live.scene.folder("plugins/libCounterPlugin.so")
        try FileSystem.write(
            FileSystem.read(path).replacing(#""version":"1.0.0""#.utf8, with: #""version":"0.9.0""#.utf8),
            to: path)
        try live.reload(expecting: "generation 2 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":2}}"#)
        #expect(
            end.errors.first
                == "gatehouse: generation 2 runs, after N ms: replace counter: version 1.0.0 by 0.9.0")
    }

    @Test
    func `case 5: an older library that does not know the newer state is refused, and the newer runs on`()
        throws
    {
        let live = try LiveHost(Self.migrant, libraries: ["MigrantTwoPlugin"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.replace("MigrantTwoPlugin", by: "MigrantOnePlugin")
        try live.reload(expecting: "runs on")
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        try live.reload(expecting: "nothing has changed")
        live.write(#"{"type":"migrant/add","payload":1}"#)
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":6}}"#)
        #expect(
            end.errors.prefix(3) == [
                "./plugins/libMigrantOnePlugin.so: refused for the instance migrant: its state of version 2 cannot be taken over: expected state of version at most 1, found version 2; install a library that knows this version, or remove the state",
                "gatehouse: the change is refused, generation 1 runs on",
                "gatehouse: nothing has changed, generation 1 runs on",
            ])
    }

    @Test
    func
        `case 5: an optional library that does not know the state that is kept for it holds up no other change`()
        throws
    {
        let text = { (step: Int) in
            #"{ "plugins": [{ "id": "migrant", "optional": true }, { "id": "counter", "settings": { "step": \#(step) } }] }"#
        }
        let live = try LiveHost(text(1), libraries: ["MigrantTwoPlugin", "CounterPlugin"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.settle()
        try live.replace("MigrantTwoPlugin", by: "MigrantOnePlugin")
        try live.reload(expecting: "generation 2 runs")
        try live.reload(expecting: "nothing has changed, generation 2 runs on")
        try live.reload(text(10), expecting: "generation 3 runs")
        live.send("counter/increment")
        try live.settle()
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        try live.reload(expecting: "generation 4 runs")
        live.write(#"{"type":"migrant/add","payload":1}"#)
        #expect(try live.finish().state == #"{"migrant":{"sum":6},"counter":{"count":10}}"#)
    }

    @Test(arguments: [
        (
            "throw",
            "its state of version 1 cannot be taken over: /total: expected a number of the first half, found another"
        ),
        ("trap", "in a rehearsal it died by SIGILL while the state"),
        ("misfit", "its state of version 1 cannot be taken over: /sum: expected an integer, found a string"),
    ])
    func `case 6: a migrate that throws, traps or gives no state leaves the old library running`(
        deed: String, sentence: String
    ) throws {
        let live = try LiveHost(Self.migrant, libraries: ["MigrantOnePlugin"])
        live.write(#"{"type":"migrant/plan","payload":{"deed":"\#(deed)"}}"#)
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        try live.reload(expecting: "runs on")
        live.write(#"{"type":"migrant/add","payload":2}"#)
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"total":2,"deed":"\#(deed)"}}"#)
        #expect(end.errors.contains { $0.contains(sentence) }, "\(end.errors)")
        #expect(end.errors.contains("gatehouse: the change is refused, generation 1 runs on"))
    }

    @Test
    func
        `case 6: a migrate that throws at the last moment takes everybody back, with all that came meanwhile`()
        throws
    {
        let text = { (step: Int, dependencies: String) in
            """
            { "discovery": "ignore", "stateFile": "state.json", "plugins": [
                { "id": "migrant" }, { "id": "counter", "settings": { "step": \(step) } },
                { "id": "ending", "lift": { "dependencies": [\(dependencies)] } }] }
            """
        }
        let live = try LiveHost(
            text(1, ""), libraries: ["MigrantOnePlugin", "CounterPlugin", "EndingPlugin"],
            ["--grace", "0.5", "--print", "actions"])
        live.send("counter/increment", "ending/stay")
        try live.settle()
        try live.scene.folder.write(text(10, #""clock""#), to: "plugins.json")
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        live.child.signal(SIGHUP)
        // All states can be taken over, and those that go are asked to end; one takes its time.
        try live.child.waitForOutput("ending/farewell")
        live.send("counter/increment")
        live.write(#"{"type":"migrant/plan","payload":{"deed":"throw"}}"#)
        try live.child.waitForErrors("generation 1 runs on")
        live.send("counter/increment")
        live.write(#"{"type":"migrant/plan","payload":{"deed":""}}"#)
        try live.reload(text(1, ""), expecting: "generation 2 runs")
        live.child.signal(SIGINT)
        let end = try live.finish()
        let saved = try JSONText.parse(live.scene.folder.read("state.json"))
        #expect(saved["instances"]?["counter"]?["state"] == ["count": 3])
        #expect(saved["instances"]?["migrant"]?["state"] == ["sum": 0])
        #expect(
            end.errors.prefix(4) == [
                "./plugins/libMigrantTwoPlugin.so: refused for the instance migrant: its state of version 1 cannot be taken over: /total: expected a number of the first half, found another; correct the plugin's migrate",
                "gatehouse: warning: ending: 1 of its effects was still running 0.5 s after it was asked to end, and begins again",
                "gatehouse: the change is refused, generation 1 runs on",
                "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0",
            ])
        #expect(end.exitCode == 75)
    }

    @Test func `case 7: a migrate that never returns is given up in time, and the old library runs on`()
        throws
    {
        let live = try LiveHost(
            #"{ "limits": { "rehearsal": 1 }, "plugins": [{ "id": "migrant" }] }"#,
            libraries: ["MigrantOnePlugin"])
        live.write(#"{"type":"migrant/plan","payload":{"deed":"loop"}}"#)
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        try live.settle()
        live.child.signal(SIGHUP)
        // Everybody else is served meanwhile.
        live.write(#"{"type":"migrant/add","payload":2}"#)
        try live.settle()
        try live.child.waitForErrors("runs on")
        live.write(#"{"type":"migrant/plan","payload":{"deed":""}}"#)
        try live.reload(expecting: "generation 2 runs")
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":2}}"#)
        #expect(
            end.errors.filter { !$0.hasPrefix("      at ") } == [
                #"./plugins/libMigrantTwoPlugin.so: refused for the instance migrant: in a rehearsal it did not return within 1 s while the state of the instance migrant was taken over; correct the plugin, or allow more time with "limits"/"rehearsal""#,
                "gatehouse: the change is refused, generation 1 runs on",
                "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0",
                "gatehouse: 7 lines, 3 actions, 4 rejected",
            ])
    }

    @Test func `case 8: a library whose entry refuses is refused, and the rest runs on`() throws {
        let live = try LiveHost(
            #"{ "discovery": "ignore", "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin", "RefusingEntryPlugin"])
        try live.reload(
            #"{ "discovery": "ignore", "plugins": [{ "id": "counter" }, { "id": "other", "library": "libRefusingEntryPlugin.so" }] }"#,
            expecting: "runs on")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":1}}"#)
        #expect(
            end.errors.prefix(2) == [
                "./plugins/libRefusingEntryPlugin.so: refused for the instance other: its entry refused: it never works on Fridays",
                "gatehouse: the change is refused, generation 1 runs on",
            ])
    }
}
