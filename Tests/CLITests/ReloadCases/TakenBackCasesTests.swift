// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Synchronization
import Testing

/// What is left of a generation whose instances failed at their start, so that the one before runs again.
@Suite(.timeLimit(.minutes(10))) struct TakenBackCasesTests {
    /// An instance that adds numbers up.
    private let adding = #"{ "id": "migrant", "library": "libMigrantOnePlugin.so" }, "#

    /// A configuration of instances beside one that needs a file.
    private func text(
        _ instances: String, file: String, state: String = "{}", isJournalled: Bool = true
    ) -> String {
        let journal = isJournalled ? #""journal": { "mode": "strict" }, "# : ""
        return
            #"{ "name": "office", "discovery": "ignore", \#(journal)"state": \#(state), "plugins": [\#(instances){ "id": "holding", "settings": { "file": "\#(file)" } }] }"#
    }

    /// What a writer has sent so far.
    private final class Progress: Sendable {
        /// Whether it is to end.
        let isEnough = Atomic(false)
        /// How many actions there were.
        let count = Atomic(0)
    }

    /// What the host says of the change.
    private let refused = "the change is refused, generation 1 runs on"

    /// Kills a host, and starts the next one by another configuration.
    private func crash(_ live: LiveHost, startingWith text: String) throws -> LiveHost {
        live.child.signal(SIGKILL)
        _ = try live.child.finish()
        try live.scene.folder.write(text, to: "plugins.json")
        FileSystem.remove(live.scene.folder("held"))
        return try LiveHost(live.scene)
    }

    @Test(arguments: [
        #"{ "id": "migrant", "library": "libMigrantTwoPlugin.so" }, "#,
        #"{ "id": "moved", "library": "libMigrantOnePlugin.so" }, "#, "",
    ])
    func `after a crash a state is that with which an instance ran again, whatever had become of it`(
        change: String
    ) throws {
        let live = try LiveHost(
            text(adding, file: "held"),
            libraries: ["MigrantOnePlugin", "MigrantTwoPlugin", "HoldingPlugin"], ["--print", "actions"])
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.reload(text(change, file: "no/held"), expecting: refused)
        live.write(#"{"type":"migrant/add","payload":2}"#)
        try live.child.waitForOutput(#"{"type":"migrant/add","payload":2}"#)
        let end = try crash(live, startingWith: text(adding, file: "held")).finish()
        #expect(end.state == #"{"migrant":{"total":7,"deed":""},"holding":{"sum":0}}"#, "\(end.errors)")
    }

    @Test(arguments: [true, false])
    func `what the file says of the state otherwise leaves nothing behind`(isJournalled: Bool) throws {
        let before = text(adding, file: "held", state: #"{ "a": 1, "b": 1 }"#, isJournalled: isJournalled)
        let live = try LiveHost(before, libraries: ["MigrantOnePlugin", "HoldingPlugin"])
        try live.reload(
            text(adding, file: "no/held", state: #"{ "a": 2, "c": 3 }"#, isJournalled: isJournalled),
            expecting: refused)
        let end = try (isJournalled ? crash(live, startingWith: before) : live).finish()
        #expect(
            end.state == #"{"a":1,"b":1,"migrant":{"total":0,"deed":""},"holding":{"sum":0}}"#,
            "\(end.errors)")
    }

    @Test(arguments: [#""gate": "bypass", "#, #""settings": { "step": 2 }, "#])
    func `a gate stands where it stood`(change: String) throws {
        let text = { (change: String, file: String) in
            #"{ "discovery": "ignore", "plugins": [{ \#(change)"id": "counter" }, { "id": "holding", "settings": { "file": "\#(file)" } }] }"#
        }
        let live = try LiveHost(
            text("", "held"), libraries: ["CounterPlugin", "HoldingPlugin"], ["--control"])
        let gate = { () throws -> Value? in
            let status = try JSONText.parse(try live.ctl("status", "--json").output)
            return status["instances"]?.arrayValue?.first { $0["id"] == "counter" }?["gate"]
        }
        for (word, position) in [("close", "bypass"), ("open", "active")] {
            _ = try live.ctl("gate", "counter", word)
            #expect(try gate() == .string(position))
            try live.scene.folder.write(text(change, "no/held"), to: "plugins.json")
            #expect(try live.ctl("reload").output.contains(refused))
            #expect(try gate() == .string(position))
        }
        _ = try live.finish()
    }

    @Test(arguments: [#"{ "id": "migrant", "library": "libMigrantTwoPlugin.so" }, "#, ""])
    func `every action counts once, also one that came while another generation had failed`(change: String)
        throws
    {
        let text = { (instances: String, file: String) in
            #"{ "discovery": "ignore", "ingress": { "listen": ["unix:in.sock"] }, "plugins": [\#(instances){ "id": "holding", "settings": { "file": "\#(file)", "last": 1 } }] }"#
        }
        let scene = try Scene(
            text(adding, "held"), libraries: ["MigrantOnePlugin", "MigrantTwoPlugin", "HoldingPlugin"])
        let child = try scene.start([])
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        let connection = try LocalConnection(scene.folder("in.sock"))
        let progress = Progress()
        let writer = try TestWriter {
            while !progress.isEnough.load(ordering: .relaxed) {
                connection.write(#"{"type":"migrant/add","payload":1}"# + "\n")
                progress.count.wrappingAdd(1, ordering: .relaxed)
            }
        }
        for number in 1...5 {
            try scene.folder.write(text(change, "no/held"), to: "plugins.json")
            child.signal(SIGHUP)
            try child.waitForErrors { $0.split(separator: "\n").count { $0.contains(refused) } == number }
        }
        progress.isEnough.store(true, ordering: .relaxed)
        writer.join()
        let count = progress.count.load(ordering: .relaxed)
        connection.write("mark\n")
        try child.waitForErrors("in.sock#1:\(count + 1):1: ")
        child.signal(SIGTERM)
        let end = try child.finish()
        #expect(try JSONText.parse(end.output)["migrant"]?["total"] == Value(count), "\(end.errors)")
    }
}
