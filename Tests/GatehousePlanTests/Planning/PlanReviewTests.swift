// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// Warnings about what is allowed but likely meant otherwise.
@Suite(.timeLimit(.minutes(10))) struct PlanReviewTests {
    /// What is told about a file with a probe, a counter and a logger beside it.
    private func messages(_ text: String) throws -> [String] {
        try PlanExample.messages(
            #"{ "directory": ".", "discovery": "ignore", \#(text) }"#,
            libraries: ["ProbePlugin", "CounterPlugin", "LoggerPlugin"]
        ).map { $0.replacing("plugins.json:", with: "") }
    }

    @Test func `input that may carry host actions that do not exist`() throws {
        #expect(
            try messages(
                #""ingress": { "allow": ["*", "host/gate/*", "host/gate/opn", "host/gaet/*"], "deny": ["host/x"] }"#
            ) == [
                #"1:87: warning: /ingress/allow/2: there is no host action "host/gate/opn"; did you mean "host/gate/open"?"#,
                #"1:104: warning: /ingress/allow/3: there is no host action "host/gaet/*"; did you mean "host/gate/*"?"#,
                #"1:129: warning: /ingress/deny/0: there is no host action "host/x"; the host has "host/gate/open", "host/gate/close", "host/state/merge", "host/reload""#,
            ])
    }

    @Test func `an interceptor whose manifest is silent about quarantine is in doubt, once`() throws {
        let instances = try [QuarantinedInterception?.none, nil, .pass, .stop].enumerated().map {
            index, choice in
            var manifest = PluginManifest(
                id: choice.map { "p-\($0)" } ?? "silent", version: try #require(SemanticVersion("1.0.0")),
                summary: "", principal: "P", consumes: [], permissions: ["intercept"])
            manifest.onQuarantine = choice
            return PlannedInstance(InstanceConfiguration(id: "i\(index)"), manifest: manifest)
        }
        let doubts = PlanReview(PlanExample.plan(instances)).diagnostics.filter {
            $0.sentence.contains("quarantine")
        }
        #expect(doubts.map(\.severity) == [.doubt])
        #expect(
            doubts.map(\.sentence) == [
                #"the plugin silent intercepts, and its plugin.json does not say what becomes of actions while it is in quarantine, so they pass; add "onQuarantine": "pass" or "stop" there"#
            ])
    }

    @Test func `a part of a setting that is null is one that was left out`() throws {
        #expect(
            try PlanExample.messages(
                #"{ "directory": ".", "discovery": "ignore", "plugins": [{ "id": "limit", "settings": { "rules": { "typing": { "when": "search/typed", "by": null, "debounce": 0.3 } } } }] }"#,
                libraries: ["LimitPlugin"]) == [])
    }

    @Test func `input that may carry nothing but host actions, or nothing at all`() throws {
        #expect(
            try messages(#""ingress": { "allow": ["host/gate/*"] }"#) == [
                #"1:57: warning: /ingress/allow: it lists host actions alone, so that input may carry nothing else; add "*" for every other type"#
            ])
        #expect(
            try messages(#""ingress": { "allow": [] }"#) == [
                #"1:57: warning: /ingress/allow: it lists nothing, so that input may carry nothing else; add "*" for every other type"#
            ])
    }

    @Test func `an instance that may emit what its plugin does not declare`() throws {
        #expect(
            try messages(
                #""plugins": [{ "id": "probe", "allow": ["probe/pong", "probe/pon", "*", "x", "host/gate/open", "host/nothing"] }, { "id": "counter", "allow": ["counter/done"] }]"#
            ) == [
                #"1:97: warning: /plugins/0/allow/1: the plugin probe does not declare that it emits "probe/pon"; did you mean "probe/pong"?"#,
                #"1:115: warning: /plugins/0/allow/3: the plugin probe does not declare that it emits "x"; it declares "probe/pong", "probe/echoed", "probe/spin", "probe/drop", "probe/ratio""#,
                #"1:138: warning: /plugins/0/allow/5: there is no host action "host/nothing"; the host has "host/gate/open", "host/gate/close", "host/state/merge", "host/reload""#,
                #"1:186: warning: /plugins/1/allow/0: the plugin counter does not declare that it emits "counter/done"; it declares no emits"#,
            ])
    }

    @Test(
        arguments: [
            ("/features/on", nil), ("/features/word", nil), ("/counter/ready", nil), ("/counter", nil),
            (
                "/features/onn",
                #""state" has nothing at /features/onn, so the gate stays closed until host/state/merge puts true there; did you mean "/features/on"?"#
            ),
            (
                "/elsewhere",
                #""state" has nothing at /elsewhere, so the gate stays closed until host/state/merge puts true there; add it to "state""#
            ),
            (
                "/features/number",
                #"expected true, false, "active" or "bypass" at /features/number in "state", found 1; the gate stays closed until that changes"#
            ),
            (
                "/features",
                #"expected true, false, "active" or "bypass" at /features in "state", found an object; the gate stays closed until that changes"#
            ),
            (
                "/deep",
                "at /deep is an object with the slice of probe, which never opens a gate; point at a boolean"
            ),
        ] as [(String, String?)])
    func `a gate that follows a place where nothing opens it`(pointer: String, message: String?) throws {
        let found = try messages(
            """
            "state": { "features": { "on": true, "word": "bypass", "number": 1 } },
            "plugins": [{ "id": "probe", "lift": { "state": "/deep/probe" } },
                        { "id": "counter", "gate": { "state": "\(pointer)" } }]
            """)
        #expect(found == (message.map { ["3:51: warning: /plugins/1/gate/state: " + $0] } ?? []))
    }

    @Test(
        arguments: [
            (#""input": "in/""#, true), (#""output": { "spin": "x" }"#, true),
            (#""input": { "probe/ping": "ping" }"#, true), (#""input": "in/", "output": "in/""#, false),
            (#""output": { "pong": "x" }"#, false),
            (#""input": { "x": "spin" }, "output": { "spin": "x" }"#, false),
            (#""state": "/x""#, false),
        ])
    func `a lift that keeps a plugin from hearing what it both emits and consumes`(lift: String, isTold: Bool)
        throws
    {
        let found = try messages(#""plugins": [{ "id": "probe", "lift": { \#(lift) } }]"#)
        let names = lift.contains("output") ? #""spin""# : #""echoed", "spin", "drop""#
        #expect(
            found
                == (isTold
                    ? [
                        #"1:81: warning: /plugins/0/lift: the plugin probe both emits and consumes \#(names), but with this lift it does not hear its own; give them the same names in "input" and "output""#
                    ] : []))
    }

    @Test func `two output names that become one`() throws {
        #expect(
            try messages(
                #""plugins": [{ "id": "probe", "lift": { "output": { "pong": "x/y", "po*": "x/y", "echoed": "x/y" } } }]"#
            ) == [
                #"1:81: warning: /plugins/0/lift: the plugin probe both emits and consumes "echoed", but with this lift it does not hear its own; give them the same names in "input" and "output""#,
                #"1:134: warning: /plugins/0/lift/output/echoed: "pong" and "echoed" both become "x/y", so that nobody can tell which of them it was; give each a name of its own"#,
            ])
    }

    @Test func `a place for the state of a plugin that keeps none`() throws {
        #expect(
            try messages(#""plugins": [{ "id": "logger", "lift": { "state": "/x" } }]"#) == [
                "1:93: warning: /plugins/0/lift/state: the plugin logger keeps no state; remove it"
            ])
    }

    @Test func `instances whose actions may go round, named once`() throws {
        #expect(
            try messages(
                """
                "limits": {"chain": 50}, "plugins": [
                  { "id": "logger" },
                  { "id": "a", "library": "libProbePlugin.so", "lift": { "output": { "pong": "b/ping" } } },
                  { "id": "b", "library": "libProbePlugin.so", "lift": { "output": { "pong": "a/ping" } } }]
                """) == [
                    "3:3: warning: /plugins/1: its actions may go round in a circle: a emits b/ping, heard by b, which emits a/ping, heard by a; one that never ends is cut after 50 outputs in a row, or 10000 altogether"
                ])
    }

    /// What is told about rules, and about what is beside them.
    private func messages(ofRules rules: String, _ others: String = "", lift: String = "") throws -> [String]
    {
        try PlanExample.messages(
            #"{ "directory": ".", "discovery": "ignore", "plugins": [\#(others){ "id": "rules", \#(lift)"settings": { "rules": [\#(rules)] } }] }"#,
            libraries: ["RulesPlugin", "ProbePlugin"]
        ).map { String($0.drop { $0 != "/" }) }
    }

    /// The words after a circle.
    private let end = "; one that never ends is cut after 1000 outputs in a row, or 10000 altogether"

    @Test func `rules that answer themselves are warned of where they stand`() throws {
        #expect(
            try messages(ofRules: #"{ "when": "x", "emit": "y" }, { "when": "a/*", "emit": "a/b" }"#) == [
                "/plugins/0/settings/rules/1: its actions may go round in a circle: rules /rules/1 emits a/b, heard by itself"
                    + end
            ])
        #expect(
            try messages(ofRules: #"{ "when": "a", "emit": "b" }, { "when": "b", "emit": "a" }"#) == [
                "/plugins/0/settings/rules/0: its actions may go round in a circle: rules /rules/0 emits b, heard by rules /rules/1, "
                    + "which emits a, heard by rules /rules/0" + end
            ])
        #expect(try messages(ofRules: #"{ "when": "a", "emit": "b" }, { "when": "c", "emit": "a" }"#) == [])
        #expect(try messages(ofRules: #"{ "when": "*", "emit": "b" }"#) == [])
    }

    @Test func `a rule that answers an instance which answers it is warned of`() throws {
        #expect(
            try messages(
                ofRules: #"{ "when": "probe/pong", "emit": "probe/ping" }"#, #"{ "id": "probe" }, "#) == [
                    "/plugins/0: its actions may go round in a circle: probe emits probe/pong, heard by rules /rules/0, which emits "
                        + "probe/ping, heard by probe" + end
                ])
    }

    @Test func `a rule's types are lifted, and what it may not emit leads nowhere`() throws {
        let rule = #"{ "when": "a/*", "emit": "a/b" }"#
        #expect(
            try messages(ofRules: rule, lift: #""lift": { "input": "in/", "output": "in/" }, "#) == [
                "/plugins/0/settings/rules/0: its actions may go round in a circle: rules /rules/0 emits in/a/b, heard by itself"
                    + end
            ])
        #expect(try messages(ofRules: rule, lift: #""lift": { "input": "in/", "output": "out/" }, "#) == [])
        #expect(try messages(ofRules: rule, lift: #""allow": ["c/*"], "#) == [])
    }

    @Test func `a discovered instance is warned of without a place`() throws {
        let messages = try PlanExample.messages(
            #"{ "directory": ".", "plugins": [{ "id": "a", "library": "libCounterPlugin.so", "lift": { "state": "/probe" } }] }"#,
            libraries: ["ProbePlugin", "CounterPlugin"])
        #expect(
            messages == [
                #"<folder>/libProbePlugin.so: refused for the instance probe: the slice /probe overlaps the slice /probe of a; give one of them another "lift"/"state""#
            ])
        let cycle = try PlanExample.messages(
            """
            { "directory": ".", "plugins": [
              { "id": "a", "library": "libProbePlugin.so",
                "lift": { "input": { "probe/pong": "ping" }, "output": { "pong": "probe/ping" } } }] }
            """, libraries: ["ProbePlugin"])
        #expect(cycle == [])
    }

    @Test func `nothing is advised while something is wrong`() throws {
        #expect(
            try messages(#""ingress": { "allow": ["host/x"] }, "plugins": [{ "id": "countr" }]"#) == [
                #"1:100: /plugins/0/id: no library in <folder> declares the plugin id "countr"; did you mean "counter"?"#
            ])
    }

    @Test func `the shipped plugins in their usual use deserve no warning`() throws {
        #expect(
            try PlanExample.messages(
                #"{ "directory": "." }"#,
                libraries: [
                    "ProbePlugin", "CounterPlugin", "LoggerPlugin", "RulesPlugin", "CrashReportsPlugin",
                ]) == [])
    }
}
