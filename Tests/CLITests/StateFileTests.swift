// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What goes from one run to the next.
@Suite(.timeLimit(.minutes(10))) struct StateFileTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"

    /// A scene whose state goes on, with a counter.
    private func scene(_ members: String = "", plugins: String = #"{ "id": "counter" }"#) throws -> Scene {
        try Scene(
            #"{ "stateFile": "state.json", \#(members)"plugins": [\#(plugins)] }"#,
            libraries: ["CounterPlugin"])
    }

    /// The state at the end of a run, without spaces.
    private func state(_ scene: Scene, input: String = "") throws -> String {
        let outcome = try scene.run(input: input)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        return outcome.output.filter { !$0.isWhitespace }
    }

    @Test func `the next run goes on from the state of the one before`() throws {
        let scene = try scene(#""state": { "on": true }, "ingress": { "allow": ["*", "host/*"] }, "#)
        _ = try state(
            scene, input: increment + #"{"type":"host/state/merge","payload":{"kept":1}}"# + "\n")
        #expect(try state(scene, input: increment) == #"{"on":true,"kept":1,"counter":{"count":2}}"#)
    }

    @Test func `what the configuration says otherwise than before counts, and nothing else`() throws {
        let first = try scene(
            #""state": { "on": true, "size": 1 }, "ingress": { "allow": ["*", "host/*"] }, "#)
        _ = try state(first, input: #"{"type":"host/state/merge","payload":{"size":5}}"# + "\n")
        try first.folder.write(
            #"{ "stateFile": "state.json", "state": { "on": false, "size": 1 } }"#, to: "plugins.json")
        #expect(try state(first).hasPrefix(#"{"on":false,"size":5"#))
    }

    @Test func `the state of an absent plugin is kept, and found again`() throws {
        let scene = try scene()
        _ = try state(scene, input: increment)
        let text = try scene.folder.read("plugins.json")
        try scene.folder.write(#"{ "stateFile": "state.json", "discovery": "ignore" }"#, to: "plugins.json")
        #expect(try state(scene) == #"{"counter":{"count":1}}"#)
        try scene.folder.write(text, to: "plugins.json")
        #expect(try state(scene, input: increment) == #"{"counter":{"count":2}}"#)
    }

    @Test func `a newer library migrates the state, and an older one is refused`() throws {
        let scene = try Scene(
            #"{ "stateFile": "state.json", "plugins": [{ "id": "migrant" }] }"#,
            libraries: ["MigrantOnePlugin"])
        _ = try state(scene, input: #"{"type":"migrant/add","payload":3}"# + "\n")
        FileSystem.remove(scene.folder("plugins/libMigrantOnePlugin.so"))
        try scene.addLibrary("MigrantTwoPlugin")
        #expect(try state(scene) == #"{"migrant":{"sum":3}}"#)
        FileSystem.remove(scene.folder("plugins/libMigrantTwoPlugin.so"))
        try scene.addLibrary("MigrantOnePlugin")
        let outcome = try scene.run()
        #expect(
            outcome.errors
                == "./plugins/libMigrantOnePlugin.so: refused for the instance migrant: its state of version 2 cannot be taken over: expected state of version at most 1, found version 2; install a library that knows this version, or remove the state\n"
        )
        #expect(outcome.exitCode == 69)
    }

    @Test func `a gate that was moved stays so, until its entry changes`() throws {
        let text = { (gate: String) in
            #"{ "stateFile": "state.json", "ingress": { "allow": ["*", "host/*"] }, "plugins": [{ "id": "counter"\#(gate) }] }"#
        }
        let scene = try Scene(text(""), libraries: ["CounterPlugin"])
        _ = try state(scene, input: #"{"type":"host/gate/close","payload":"counter"}"# + "\n")
        #expect(try state(scene, input: increment) == #"{"counter":{"count":0}}"#)
        try scene.folder.write(
            text(
                #", "gate": { "control": { "type": "go" }, "turnOn": 1, "turnOff": 0, "default": "active" }"#),
            to: "plugins.json")
        #expect(try state(scene, input: increment) == #"{"counter":{"count":1}}"#)
    }

    @Test func `a file that is no state keeps the host from starting, and is left as it is`() throws {
        let scene = try scene()
        try scene.folder.write("{ \"form\": 1, \"plain\": ", to: "state.json")
        let outcome = try scene.run(input: increment)
        #expect(
            outcome.errors
                == "./state.json: the state that the previous run left cannot be read: 1:23: expected a value, found the end of the text; restore the file, or remove it to start from scratch\n"
        )
        #expect(outcome.exitCode == 78)
        #expect(try scene.folder.read("state.json") == "{ \"form\": 1, \"plain\": ")
    }

    @Test func `no changed byte of a state passes for the state`() throws {
        let scene = try scene()
        let sound = try state(scene, input: increment)
        let bytes = try FileSystem.read(scene.folder("state.json"))
        for place in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[place] ^= 1
            try FileSystem.write(changed, to: scene.folder("state.json"))
            let outcome = try scene.run()
            #expect(outcome.exitCode == 78, "byte \(place)")
            #expect(
                outcome.errors.hasPrefix(
                    "./state.json: the state that the previous run left cannot be read: "))
        }
        try FileSystem.write(bytes, to: scene.folder("state.json"))
        #expect(try state(scene) == sound)
    }

    @Test func `a state that somebody has edited is told with the way to say so`() throws {
        let scene = try scene()
        _ = try state(scene, input: increment)
        let edited = try scene.folder.read("state.json").replacing(#""count":1"#, with: #""count":7"#)
        try scene.folder.write(edited, to: "state.json")
        let checksum = String(edited.suffix(11).prefix(8))
        #expect(
            try scene.run().errors
                == "./state.json: the state that the previous run left cannot be read: /checksum: expected the checksum of what stands before it; remove that member if you have changed the file on purpose, found \"\(checksum)\"; restore the file, or remove it to start from scratch\n"
        )
        try scene.folder.write(
            edited.replacing(#","checksum":"\#(checksum)""#, with: ""), to: "state.json")
        #expect(try state(scene) == #"{"counter":{"count":7}}"#)
    }

    @Test func `a state that others may write to keeps the host from starting`() throws {
        let scene = try scene()
        _ = try state(scene, input: increment)
        try FileSystem.setMode(0o666, of: scene.folder("state.json"))
        let outcome = try scene.run()
        #expect(
            outcome.errors
                == "\(scene.folder("state.json")): everybody may write to it (mode 666); take that away with chmod o-w; make sure that nobody has changed the state in it, or remove it to start from scratch\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `a state that could not be written at the end keeps the host from starting`() throws {
        let scene = try Scene(
            #"{ "stateFile": "no/state.json", "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.run(input: increment)
        #expect(
            outcome.errors
                == "./no/state.json: the state could not be written there at the end: No such file or directory; name a file in an existing folder that this user may write to\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `a state that cannot be written is told, and the old file stays`() throws {
        let scene = try scene()
        _ = try state(scene, input: increment)
        let old = try scene.folder.read("state.json")
        // A folder stands where the new file would be made.
        _ = try scene.folder.makeFolder("state.json.new")
        let outcome = try scene.run(["--print", "none"], input: increment)
        #expect(
            outcome.errors.hasSuffix(
                "gatehouse: ./state.json: the state cannot be written: File exists; the file is unchanged since before this run\n"
            ))
        #expect(outcome.exitCode == 70)
        #expect(try scene.folder.read("state.json") == old)
    }
}
