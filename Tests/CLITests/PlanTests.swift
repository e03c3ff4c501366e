// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// `gatehouse plan`, on the built program.
@Suite(.timeLimit(.minutes(10))) struct PlanTests {
    /// Crash reports behind a gate, rules that emit, and a counter.
    private func scene() throws -> Scene {
        try Scene(
            """
            { "state": { "on": true },
              "plugins": [
                { "id": "rules", "allow": ["shop/*"],
                  "settings": { "rules": [{ "when": "shop/sale", "emit": "shop/open" }] } },
                { "id": "shop", "library": "libCounterPlugin.so",
                  "lift": { "input": { "shop/sale": "increment" } },
                  "gate": { "control": { "type": "shop/open" } } },
                { "id": "crash-reports", "gate": { "state": "/on" } } ] }
            """, libraries: ["CounterPlugin", "CrashReportsPlugin", "RulesPlugin"])
    }

    /// The configuration names the counter with an id of its own.
    private let gate = "gate follows the state at /on, starts active"

    @Test func `the chain comes first, then who emits and hears each type, behind which gate`() throws {
        let outcome = try scene().call("plan")
        #expect(
            outcome.output == """
                chain
                  1 rules          rules 1.0.0, gate active
                  2 shop           counter 1.0.0, gate moved by shop/open, starts active
                  3 crash-reports  crash-reports 1.0.0, \(gate)

                crash-reports/clear
                  3 crash-reports  as clear, \(gate)

                crash-reports/recorded
                  emitted by crash-reports
                  3 crash-reports  as recorded, \(gate)

                shop/open
                  emitted by rules
                  2 shop           moves its gate
                  3 crash-reports  \(gate)

                shop/sale
                  1 rules
                  2 shop           as increment, gate moved by shop/open, starts active
                  3 crash-reports  \(gate)

                * (every other type)
                  3 crash-reports  \(gate)

                """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    @Test func `one type may be asked for`() throws {
        let scene = try scene()
        let outcome = try scene.call("plan", "shop/open")
        #expect(
            outcome.output
                == "shop/open\n  emitted by rules\n  2 shop           moves its gate\n  3 crash-reports  \(gate)\n"
        )
        let mistyped = try scene.call("plan", "shop/sael")
        #expect(mistyped.output == "shop/sael\n  3 crash-reports  \(gate)\n")
        #expect(mistyped.errors == "gatehouse: no instance names shop/sael; did you mean \"shop/sale\"?\n")
        #expect(mistyped.exitCode == 0)
        let pattern = try scene.call("plan", "a*b")
        #expect(
            pattern.errors
                == "gatehouse: expected an action type with \"*\" nowhere but at its end, found \"a*b\"\n")
        #expect(pattern.exitCode == 64)
        #expect(try Scene.counter().call("plan", "--", "--x").output == "--x\n  heard by nobody\n")
    }

    @Test func `of a pattern every route below it is shown, and then that of the types that nobody names`()
        throws
    {
        let outcome = try scene().call("plan", "crash-reports/*")
        #expect(
            outcome.output == """
                crash-reports/clear
                  3 crash-reports  as clear, \(gate)

                crash-reports/recorded
                  emitted by crash-reports
                  3 crash-reports  as recorded, \(gate)

                crash-reports/*
                  3 crash-reports  \(gate)

                """)
        let named = try scene().call("plan", "shop/*").output
        #expect(
            named.split(separator: "\n").filter { !$0.hasPrefix(" ") } == [
                "shop/open", "shop/sale", "shop/*",
            ])
        #expect(
            try scene().call("plan", "*").output
                == scene().call("plan").output.split(
                    separator: "\n\n", maxSplits: 1
                ).last.map(String.init))
    }

    @Test func `as JSON a route is a list of instances with their gates`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "gate": { "control": { "type": "on", "at": "/x" }, "default": "bypass" } }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.call("plan", "--json", "counter/reset")
        #expect(
            outcome.output == """
                {
                  "chain": [
                    {
                      "id": "counter",
                      "plugin": "counter",
                      "version": "1.0.0",
                      "gate": {
                        "kind": "action",
                        "type": "on",
                        "at": "/x",
                        "start": "bypass"
                      }
                    }
                  ],
                  "routes": [
                    {
                      "type": "counter/reset",
                      "emittedBy": [],
                      "route": [
                        {
                          "instance": "counter",
                          "as": "reset",
                          "moves": false,
                          "intercepts": false,
                          "gate": {
                            "kind": "action",
                            "type": "on",
                            "at": "/x",
                            "start": "bypass"
                          }
                        }
                      ]
                    }
                  ]
                }

                """)
    }

    @Test func `as a graph it is text for Graphviz`() throws {
        #expect(
            try Scene.counter().call("plan", "--graph").output == """
                digraph gatehouse {
                  rankdir=LR;
                  "instance counter" [shape=box, label="1 counter\\ncounter 1.0.0"];
                  "type counter/decrement" [shape=ellipse, label="counter/decrement"];
                  "type counter/increment" [shape=ellipse, label="counter/increment"];
                  "type counter/reset" [shape=ellipse, label="counter/reset"];
                  "type counter/increment" -> "instance counter" [label="increment"];
                  "type counter/decrement" -> "instance counter" [label="decrement"];
                  "type counter/reset" -> "instance counter" [label="reset"];
                }

                """)
    }

    @Test func `what would not start has no plan`() throws {
        let outcome = try Scene(#"{ "plugins": [{ "id": "gone" }] }"#).call("plan")
        #expect(outcome.output == "")
        #expect(
            outcome.errors
                == "plugins.json:1:23: /plugins/0/id: no library in ./plugins declares the plugin id \"gone\"; put the library there, or name its file with \"library\"\n"
        )
        #expect(outcome.exitCode == 78)
    }
}
