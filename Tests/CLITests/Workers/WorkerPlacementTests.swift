// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Testing

/// What is the same for an instance in the host and in a worker, and how it moves from one to the other.
@Suite(.timeLimit(.minutes(10))) struct WorkerPlacementTests {
    private static let placements = ["host", "worker"]

    /// What a host has done with lines by the end: its state, what it has said, and the status of its first instance at its end.
    private func outcome(
        _ placement: String, _ entry: String, _ library: String, _ lines: [String]
    ) throws -> (state: Value, errors: [String], exitCode: Int32?, status: Members) {
        let host = try LiveHost(
            #"{ "plugins": [{ "placement": "\#(placement)", \#(entry) }] }"#, libraries: [library],
            ["--control", "--print", "state"])
        for line in lines { host.write(line) }
        try host.settle()
        // A worker answers later.
        var status: Value = [:]
        repeat {
            status = try JSONText.parse(try host.ctl("status", "--json").output)["instances"]?[0] ?? [:]
        } while status["worker"]?["waiting"] ?? 0 != 0
        let (state, errors, exitCode) = try host.finish()
        var members = status.objectValue ?? [:]
        members["placement"] = nil
        members["worker"] = nil
        members["time"] = nil
        members["library"] = nil
        return (try JSONText.parse(state), Array(errors.dropFirst()), exitCode, members)
    }

    @Test func `health, numbers, misfits and failures of an instance are the same in both`() throws {
        let lines = [
            #"{"type":"patient/sicken","payload":"no room"}"#,
            #"{"type":"patient/count","payload":{"name":"sent","by":3}}"#,
            #"{"type":"patient/count","payload":{"name":"sent","by":4}}"#,
            #"{"type":"patient/gauge","payload":{"name":"queue","value":2.5}}"#,
            #"{"type":"patient/time","payload":{"name":"asked","milliseconds":250}}"#,
            #"{"type":"patient/count","payload":{"name":"sent mails","by":1}}"#,
            #"{"type":"patient/count","payload":"none"}"#,
            #"{"type":"patient/refuse","payload":{"reason":"there is no paper"}}"#,
            #"{"type":"patient/ask"}"#,
        ]
        let found = try Self.placements.map {
            try outcome($0, #""id": "patient""#, "PatientPlugin", lines)
        }
        #expect(Value.object(found[0].status) == .object(found[1].status))
        #expect(found[0].status["counts"] == ["sent": 7])
        #expect(found[0].status["gauges"] == ["queue": 2.5])
        #expect(found[0].errors == found[1].errors)
        #expect(found.map(\.exitCode) == [75, 75])
    }

    @Test func `an instance keeps its state when it moves into a worker and back, while actions come`() throws
    {
        let entry = { (placement: String) in
            #"{ "plugins": [{ "id": "counter", "placement": "\#(placement)" }] }"#
        }
        let host = try LiveHost(entry("host"), libraries: ["CounterPlugin"], ["--print", "state"])
        var sent = 0
        for round in 0..<6 {
            for _ in 0..<2_000 { host.send("counter/increment") }
            sent += 2_000
            let next = Self.placements[(round + 1) % 2]
            try host.reload(
                entry(next), settling: false,
                expecting: round % 2 == 0 ? "move counter into a worker" : "move counter into the host")
        }
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0)
        #expect(try JSONText.parse(state) == ["counter": ["count": .integer(Int64(sent))]], "\(errors)")
    }

    @Test func `another policy of placement is a reload that moves an instance with its state`() throws {
        let library = try FileSystem.read("\(BuiltProducts.folder)/libCounterPlugin.so")
        let policy = { (list: String) in
            #"{ "placement": { "default": "worker", "host": [\#(list)] }, "plugins": [{ "id": "counter" }] }"#
        }
        let listed = policy(#""\#(SHA256.digest(library).hex)""#)
        let host = try LiveHost(policy(""), libraries: ["CounterPlugin"], ["--control", "--print", "state"])
        func placement() throws -> [Value?] {
            let instance = try JSONText.parse(try host.ctl("status", "--json").output)["instances"]?[0]
            return [instance?["placement"], instance?["placedBy"]]
        }
        host.send("counter/increment")
        #expect(try placement() == ["worker", "default"])
        try host.reload(listed, expecting: "move counter into the host (its digest is listed)")
        #expect(try placement() == ["host", "digest"])
        host.send("counter/increment")
        try host.reload(policy(""), expecting: "move counter into a worker (by default)")
        host.send("counter/increment")
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0)
        #expect(try JSONText.parse(state) == ["counter": ["count": 3]], "\(errors)")
    }

    @Test func `a worker whose settings change goes on from its state, while actions come`() throws {
        let entry = { (step: Int) in
            #"{ "plugins": [{ "id": "counter", "placement": "worker", "lift": { "dependencies": [\#(step % 2 == 0 ? "" : #""clock""#)] } }] }"#
        }
        let host = try LiveHost(entry(0), libraries: ["CounterPlugin"], ["--print", "state"])
        for step in 1...6 {
            for _ in 0..<2_000 { host.send("counter/increment") }
            try host.reload(entry(step), settling: false, expecting: "generation \(step + 1)")
        }
        let (state, errors, exitCode) = try host.finish()
        #expect(exitCode == 0)
        #expect(try JSONText.parse(state) == ["counter": ["count": 12_000]], "\(errors)")
    }

    @Test func `status says where an instance runs, and how its worker stands`() throws {
        let host = try LiveHost(
            #"{ "plugins": [{ "id": "counter", "placement": "worker" }] }"#, libraries: ["CounterPlugin"],
            ["--control"])
        host.send("counter/increment", "counter/increment")
        var instance: Value = [:]
        repeat {
            try host.settle()
            instance = try JSONText.parse(try host.ctl("status", "--json").output)["instances"]?[0] ?? [:]
        } while instance["worker"]?["at"] != 2
        let worker = try #require(WorkerProcesses(of: host.child).identifiers.first)
        #expect(instance["placement"] == "worker")
        #expect(instance["worker"]?["pid"] == .integer(Int64(worker)))
        #expect(instance["worker"]?["deaths"] == 0)
        #expect(instance["worker"]?["memory"]?.intValue ?? 0 > 1 << 16)
        #expect(instance["worker"]?["seconds"]?.doubleValue ?? -1 >= 0)
        let text = try host.ctl("status").output
        #expect(text.contains("counter runs in a worker, process \(worker), "), "\(text)")
        let metrics = try host.ctl("metrics").output
        for name in ["deaths_total", "orders_waiting", "memory_bytes", "cpu_seconds"] {
            #expect(metrics.contains("gatehouse_worker_\(name){"), "\(metrics)")
        }
        kill(worker, SIGKILL)
        try host.child.waitForErrors("counter: its worker died by SIGKILL, and another one goes on")
        host.send("counter/increment")
        let (_, errors, exitCode) = try host.finish()
        #expect(exitCode == 0, "\(errors)")
    }

    @Test func `a worker changes files below the folders that it is granted, and nowhere else`() throws {
        let folder = try TemporaryFolder()
        let (granted, other) = (try folder.makeFolder("granted"), try folder.makeFolder("other"))
        func run(in directory: String) throws -> ChildProcess.Outcome {
            try Scene(
                """
                { "discovery": "ignore", "plugins": [
                    { "id": "file", "placement": "worker", "grant": { "files": ["\(granted)"] },
                      "settings": { "directory": "\(directory)", "include": ["a/*"] } }
                  ] }
                """, libraries: ["FilePlugin"]
            ).run(["--print", "none"], input: #"{"type":"a/b"}"# + "\n")
        }
        let outcome = try run(in: granted)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let written = String(decoding: try FileSystem.read(granted + "/actions.ndjson"), as: UTF8.self)
        #expect(written.contains(#""type":"a/b""#))
        let refused = try run(in: other)
        #expect(refused.errors.contains("Permission denied"), "\(refused.errors)")
        #expect(FileSystem.names(in: other) == [])
    }

    @Test(
        arguments: [
            ("aggregate", "Aggregate", nil), ("counter", "Counter", nil),
            ("crash-reports", "CrashReports", nil),
            ("jq", "JQ", nil), ("logger", "Logger", nil), ("persistence", "Persistence", nil),
            ("rules", "Rules", nil), ("schedule", "Schedule", nil),
            ("file", "File", "changes files outside of its folder for data, and its entry grants it none"),
            ("http", "HTTP", "brings actions as an input does, which only an instance in the host can"),
            ("http-client", "HTTPClient", "uses the network, and its entry grants it no connection"),
            ("limit", "Limit", "decides about actions before anybody else hears them"),
        ] as [(String, String, String?)])
    func `each bundled plugin runs in a worker, or is refused with what it needs the host for`(
        id: String, target: String, need: String?
    ) throws {
        let scene = try Scene(
            #"{ "discovery": "ignore", "plugins": [{ "id": "\#(id)", "placement": "worker" }] }"#,
            libraries: [target + "Plugin"])
        let outcome = try scene.run(["--print", "none"], input: #"{"type":"other/action"}"# + "\n")
        #expect(outcome.exitCode == (need == nil ? 0 : 78), "\(outcome.errors)")
        if let need { #expect(outcome.errors.contains("the plugin \(id) \(need)"), "\(outcome.errors)") }
        #expect(!outcome.errors.contains("its worker"), "\(outcome.errors)")
    }
}
