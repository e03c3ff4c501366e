// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What `gatehouse ctl status` says besides what instances do.
@Suite(.timeLimit(.minutes(10))) struct ControlStatusTests {
    @Test func `each input is told with its lines and connections`() throws {
        let host = try ControlledHost(
            #""ingress": { "listen": ["unix:in.sock?ack"], "tail": "log.ndjson" }, "#)
        let writers = try (0..<3).map { _ in try LocalConnection(host.scene.folder("in.sock")) }
        for writer in writers {
            writer.write("{\"type\":\"eu/increment\"}\n?\n")
            #expect(writer.readLine() == #"{"ok":2,"rejected":1}"#)
        }
        try host.scene.folder.write("?\n", to: "log.ndjson")
        try host.process.waitForErrors("log.ndjson:1:1")
        let text = try host.ctl("status").output
        #expect(
            text.contains(
                """
                3 actions, 0 waiting, 0 effects running
                7 lines, 4 rejected
                listen in.sock: 6 lines, 3 connections
                tail log.ndjson: 1 line
                1 client, 0 watching

                """), "\(text)")
        #expect(
            try host.status()["inputs"] == [
                [
                    "name": "in.sock", "kind": "listen", "lines": 6, "rejected": 3, "ended": false,
                    "connections": 3,
                ],
                ["name": "log.ndjson", "kind": "tail", "lines": 1, "rejected": 1, "ended": false],
            ])
        for writer in writers { writer.close() }
        host.process.signal(SIGTERM)
        #expect(try host.process.finish().exitCode == 0)
    }

    @Test(arguments: ["strict", "relaxed"])
    func `a journal is told with its mode, its last action and its last snapshot`(mode: String) throws {
        let host = try ControlledHost(#""journal": { "mode": "\#(mode)" }, "#)
        let journal = try #require(try host.status()["journal"])
        #expect(journal["mode"] == .string(mode))
        #expect(journal["recorded"] == 0)
        #expect(journal["snapshot"] == 0)
        // None was taken in this run.
        #expect(journal["snapshotAge"] == .null)
        #expect(journal["epoch"] == 1)
        #expect(journal["bytes"]?.intValue ?? 0 > 4_096)
        #expect(try host.ctl("dispatch", "eu/increment").exitCode == 0)
        #expect(
            try host.ctl("status").output.contains(
                "\njournal: \(mode), up to action 1, snapshot at 0, "))
        #expect(try host.ctl("status").output.contains(" bytes\n"))
        #expect(
            try host.ctl("metrics").output.contains(
                #"""
                # TYPE gatehouse_journal_recorded_total counter
                gatehouse_journal_recorded_total{host="shop"} 1
                # HELP gatehouse_journal_bytes Bytes of the journal's file and its log.
                # TYPE gatehouse_journal_bytes gauge

                """#))
        #expect(
            try host.ctl("metrics").output.contains(
                #"""
                # TYPE gatehouse_journal_snapshot gauge
                gatehouse_journal_snapshot{host="shop"} 0

                """#))
        host.process.signal(SIGTERM)
        #expect(try host.process.finish().exitCode == 0)
    }

    @Test func `what an instance counts, measures and times is told in the status and to Prometheus`() throws
    {
        let host = try ControlledHost(libraries: ["PatientPlugin"])
        try host.scene.folder.write(
            ControlledHost.configuration(
                entries: #", { "id": "patient", "library": "libPatientPlugin.so" }"#),
            to: "plugins.json")
        #expect(try host.ctl("reload").exitCode == 0)
        for (type, payload) in [
            ("count", #"{"name":"sent","by":1200}"#), ("gauge", #"{"name":"queue","value":2.5}"#),
            ("time", #"{"name":"save","milliseconds":1500}"#),
            ("time", #"{"name":"save","milliseconds":500}"#), ("refuse", #"{"reason":"no room"}"#),
        ] {
            host.process.write(#"{"type":"patient/\#(type)","payload":\#(payload)}"# + "\n")
        }
        host.process.write("?\n")
        try host.process.waitForErrors("standard input:6:1")
        let instance = try host.status()["instances"]?[2]
        #expect(instance?["counts"] == ["sent": 1200])
        #expect(instance?["gauges"] == ["queue": 2.5])
        #expect(instance?["times"] == ["save": ["count": 2, "seconds": 2.0]])
        #expect(instance?["failures"] == 1)
        #expect(
            try host.ctl("status").output.hasSuffix(
                """

                patient sent: 1,200
                patient queue: now 2.5
                patient save: 2 times, 2000.0 ms in all, 1000.0 ms each

                """))
        let metrics = try host.ctl("metrics").output.split(separator: "\n")
        let labels = #"{host="shop",instance="patient",plugin="patient",name="#
        for line in [
            #"gatehouse_plugin_count_total\#(labels)"sent"} 1200"#,
            #"gatehouse_plugin_gauge\#(labels)"queue"} 2.5"#,
            "# TYPE gatehouse_plugin_time_seconds_total counter",
            #"gatehouse_plugin_time_seconds_total\#(labels)"save"} 2"#,
            #"gatehouse_plugin_timed_total\#(labels)"save"} 2"#,
        ] { #expect(metrics.contains(Substring(line)), "\(line)") }
        host.process.signal(SIGTERM)
        #expect(try host.process.finish().exitCode == 75)
    }

    @Test func `the plugin of an instance is told in up to 16 characters`() throws {
        let host = try ControlledHost(
            in: Scene(
                ControlledHost.configuration(
                    entries:
                        #", { "id": "chat", "library": "libHTTPClientPlugin.so", "settings": { "url": "http://127.0.0.1:9/" } }"#
                ),
                libraries: ["CounterPlugin", "HTTPClientPlugin"]))
        let text = try host.ctl("status").output
        #expect(text.contains("\nchat      http-client 1.0…  active "), "\(text)")
        #expect(text.contains("\neu        counter 1.0.0     active "), "\(text)")
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `code that no instance uses any more is counted`() throws {
        let host = try ControlledHost(libraries: ["MigrantOnePlugin"])
        #expect(try host.status()["images"] == ["mapped": 1, "retired": 0])
        let entry = #", { "id": "m", "library": "libMigrantOnePlugin.so" }"#
        for entries in [entry, ""] {
            try host.scene.folder.write(
                ControlledHost.configuration(entries: entries), to: "plugins.json")
            #expect(try host.ctl("reload").exitCode == 0)
        }
        #expect(try host.status()["images"] == ["mapped": 2, "retired": 1])
        #expect(
            try host.ctl("status").output.contains(
                "\n1 image of 2 no longer used by any instance; their memory is freed at the next start\n"))
        #expect(try host.finish().exitCode == 0)
    }
}
