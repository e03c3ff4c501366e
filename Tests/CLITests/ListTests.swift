// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

/// `gatehouse list`, on the built program.
@Suite(.timeLimit(.minutes(10))) struct ListTests {
    /// Two instances, one of them gated, and libraries that nobody names.
    private func scene(discovery: String) throws -> Scene {
        let scene = try Scene(
            """
            { "discovery": "\(discovery)", "state": { "features": { "crashReports": true } },
              "plugins": [
                { "id": "orders-eu", "library": "libCounterPlugin.so",
                  "lift": { "input": "orders/eu/", "state": "/orders/eu" },
                  "gate": { "control": { "type": "app/orders", "at": "/on" }, "default": "bypass" } },
                { "id": "crash-reports", "gate": { "state": "/features/crashReports" } },
                { "id": "gone", "optional": true },
                { "id": "bad", "library": "libBad.so", "optional": true } ] }
            """, libraries: ["CounterPlugin", "CrashReportsPlugin", "ProbePlugin"])
        try scene.folder.write("no library", to: "plugins/libBad.so")
        try scene.folder.write("no library", to: "plugins/libWorse.so")
        return scene
    }

    private let named = """
        orders-eu: counter 1.0.0
          library ./plugins/libCounterPlugin.so
          gate    moved by app/orders at /on, starts bypass
          hears   orders/eu/increment as increment
                  orders/eu/decrement as decrement
                  orders/eu/reset as reset
          emits   nothing
          slice   /orders/eu

        crash-reports: crash-reports 1.0.0
          library ./plugins/libCrashReportsPlugin.so
          gate    follows the state at /features/crashReports, starts active
          hears   *
                  crash-reports/recorded as recorded
                  crash-reports/clear as clear
          emits   crash-reports/recorded
          slice   /crash-reports

        gone: missing
          because no library in ./plugins declares the plugin id "gone"; put the library there, or name its file with "library"

        bad: refused
          library ./plugins/libBad.so
          because expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux

        """

    private let worse = """
        libWorse.so: refused
          plugin  not known
          library ./plugins/libWorse.so
          because expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux

        """

    @Test func `instances stand in chain order, with discovered ones at the end`() throws {
        let outcome = try scene(discovery: "activate").call("list")
        let discovered = """
            probe: probe 1.0.0
              library ./plugins/libProbePlugin.so
              gate    active
              hears   probe/ping as ping
                      probe/later as later
                      probe/echoed as echoed
                      probe/hold as hold
                      probe/stray as stray
                      probe/spin as spin
                      probe/flood as flood
                      probe/drop as drop
                      probe/wait as wait
                      probe/free as free
                      probe/fill as fill
                      probe/spoil as spoil
                      probe/tilt as tilt
                      probe/bring as bring
              emits   probe/pong
                      probe/echoed
                      probe/spin
                      probe/drop
                      probe/ratio
              slice   /probe

            """
        #expect(outcome.output == [named, discovered, worse].joined(separator: "\n"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `with discovery list the others are shown with their verdicts`() throws {
        let outcome = try scene(discovery: "list").call("list")
        let spare = """
            libProbePlugin.so: takes no part
              plugin  probe 1.0.0
              library ./plugins/libProbePlugin.so
              because no entry names it, and "discovery" is "list"

            """
        #expect(outcome.output == [named, spare, worse].joined(separator: "\n"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `with discovery ignore nothing else is shown`() throws {
        #expect(try scene(discovery: "ignore").call("list").output == named)
    }

    @Test func `nothing to show is said`() throws {
        #expect(try Scene("{}").call("list").output == "no instances\n")
    }

    @Test func `what a named plugin is refused for is shown, and the exit code is that of check`() throws {
        let scene = try Scene(#"{ "plugins": [{ "id": "x", "library": "libBad.so" }] }"#)
        try scene.folder.write("no library", to: "plugins/libBad.so")
        let outcome = try scene.call("list")
        let reason =
            "expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux"
        #expect(outcome.output == "x: refused\n  library ./plugins/libBad.so\n  because \(reason)\n")
        #expect(outcome.errors == "./plugins/libBad.so: refused for the instance x: \(reason)\n")
        #expect(outcome.exitCode == 69)
    }

    @Test func `what runs in a worker is shown with the folders that it may change, and what it reaches`()
        throws
    {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "placement": "worker" }, { "id": "file", "placement": "worker", "grant": { "files": ["/tmp"], "network": ["connect:[::1]:80", "connect:a.example:443"] } }] }"#,
            libraries: ["CounterPlugin", "FilePlugin"])
        let listed = try scene.call("list").output
        #expect(listed.contains("  slice   /counter\n  runs    in a worker\n\n"), "\(listed)")
        #expect(
            listed.contains(
                "  runs    in a worker\n  changes its folder for data\n          /tmp\n  reaches [::1]:80\n          a.example:443\n"
            ),
            "\(listed)")
        let plan = try JSONText.parse(scene.call("list", "--json").output)
        let file = plan["instances"]?.arrayValue?.last
        #expect(file?["placement"] == "worker")
        #expect(
            file?["grant"] == [
                "files": ["/tmp"], "read": [], "network": ["connect:[::1]:80", "connect:a.example:443"],
            ])
        #expect(try scene.call("plan").output.contains("counter 1.0.0, gate active, in a worker\n"))
    }

    @Test func `where the policy decides, list, plan and check say where an instance runs and why`() throws {
        let scene = try Scene("{}", libraries: ["CounterPlugin", "LoggerPlugin"])
        let library = scene.folder("plugins/libCounterPlugin.so")
        let digest = try ChildProcess.run("/usr/bin/sha256sum", arguments: [library]).output.prefix(64)
        try scene.folder.write(
            #"{ "placement": { "default": "worker", "host": ["\#(digest)"] } }"#, to: "plugins.json")
        let listed = try scene.call("list").output
        #expect(listed.contains("  runs    in the host (its digest is listed)\n"), "\(listed)")
        #expect(listed.contains("  runs    in a worker (by default)\n"), "\(listed)")
        #expect(
            try scene.call("plan").output.hasPrefix(
                """
                chain
                  1 counter  counter 1.0.0, gate active, in the host (its digest is listed)
                  2 logger   logger 1.0.0, gate active, in a worker (by default)

                """))
        let lines = try scene.call("check").errorLines
        #expect(
            lines.dropLast() == [
                "gatehouse: plugins.json: OK (2 instances, 2 libraries)",
                "gatehouse: logger runs in a worker (by default)",
                "gatehouse: counter runs in the host (its digest is listed)",
                "gatehouse: a run ends when its input does",
            ])
        #expect(lines.last?.hasPrefix("gatehouse: workers: limited by ") == true)
    }

    @Test func `where workers would not be limited as the file asks for, check warns as a run would refuse`()
        throws
    {
        let scene = try Scene(
            #"""
            { "limits": { "groups": true },
              "plugins": [{ "id": "counter", "library": "libCounterPlugin.so", "placement": "worker" }] }
            """#, libraries: ["CounterPlugin"])
        let outcome = try scene.call("check")
        #expect(outcome.exitCode == 0)
        let last = try #require(outcome.errorLines.last)
        let refusal =
            #"gatehouse: warning: workers would be refused here: "limits"/"groups" takes a control group for each worker: "#
        #expect(last.hasPrefix(refusal) || last.hasPrefix("gatehouse: workers: limited by control groups "))
    }

    @Test func `in a cluster each instance has a scope`() throws {
        let scene = try Scene(
            #"{ "cluster": { "engine": "redis+unix:redis.sock", "name": "shop" }, "plugins": [{ "id": "counter" }, { "id": "schedule" }] }"#,
            libraries: ["CounterPlugin", "SchedulePlugin"])
        let listed = try scene.call("list").output
        #expect(listed.contains("  slice   /counter\n  scope   partition\n"))
        #expect(listed.contains("  slice   /schedule\n  scope   cluster\n"))
        #expect(
            try scene.call("plan").output.hasPrefix(
                """
                chain
                  1 counter   counter 1.0.0, gate active, scope partition
                  2 schedule  schedule 1.0.0, gate active, scope cluster

                """))
    }

    @Test func `as JSON each instance is an object`() throws {
        let scene = try Scene(
            #"{ "discovery": "list", "plugins": [{ "id": "counter", "gate": "bypass" }, { "id": "gone", "optional": true }] }"#,
            libraries: ["CounterPlugin", "RefusingEntryPlugin"])
        let outcome = try scene.call("list", "--json")
        let digest = outcome.output.split(separator: "\"sha256\": \"").last?.prefix(64) ?? ""
        #expect(digest.count == 64)
        #expect(
            outcome.output.replacing(digest, with: "<digest>") == """
                {
                  "instances": [
                    {
                      "id": "counter",
                      "optional": false,
                      "plugin": "counter",
                      "version": "1.0.0",
                      "summary": "Counts actions up and down",
                      "library": "./plugins/libCounterPlugin.so",
                      "sha256": "<digest>",
                      "gate": {
                        "kind": "fixed",
                        "start": "bypass"
                      },
                      "hears": [
                        {
                          "type": "counter/increment",
                          "as": "increment"
                        },
                        {
                          "type": "counter/decrement",
                          "as": "decrement"
                        },
                        {
                          "type": "counter/reset",
                          "as": "reset"
                        }
                      ],
                      "emits": [],
                      "slice": "/counter",
                      "keepsState": true,
                      "permissions": []
                    },
                    {
                      "id": "gone",
                      "optional": true,
                      "missing": "no library in ./plugins declares the plugin id \\"gone\\"; put the library there, or name its file with \\"library\\""
                    }
                  ],
                  "spares": [
                    {
                      "library": "./plugins/libRefusingEntryPlugin.so",
                      "plugin": "refusing-entry",
                      "version": "1.0.0",
                      "refused": []
                    }
                  ]
                }

                """)
    }
}
