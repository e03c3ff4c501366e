// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct PlannerTests {
    /// What becomes of each entry, as text.
    private func entries(_ plan: HostPlan) -> [String] {
        plan.entries.map { entry in
            switch entry.outcome {
            case .accepted(let instance):
                "\(entry.id): \(instance.manifest.id) \(instance.library?.fileName ?? "none")"
            case .refused(let refusal): "\(entry.id): refused, \(refusal.sentences.count)"
            case .missing: "\(entry.id): missing"
            }
        }
    }

    @Test func `entries come first in the order of the file, then what was discovered by file name`() throws {
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "plugins": [{ "id": "probe" }, { "id": "c", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["PersistencePlugin", "LoggerPlugin", "CounterPlugin", "ProbePlugin"])
        #expect(
            entries(plan) == [
                "probe: probe libProbePlugin.so", "c: counter libCounterPlugin.so",
                "logger: logger libLoggerPlugin.so", "persistence: persistence libPersistencePlugin.so",
            ])
        #expect(plan.instances.map(\.isOptional) == [false, false, true, true])
        #expect(plan.failure == nil)
        #expect(plan.spares.isEmpty)
    }

    @Test func `a library whose manifest says never takes part with an entry alone, and is no warning`()
        throws
    {
        let named = #"{ "directory": ".", "plugins": [{ "id": "rules" }] }"#
        let plan = try PlanExample.plan(named, libraries: ["RulesPlugin", "LimitPlugin", "LoggerPlugin"])
        #expect(entries(plan) == ["rules: rules libRulesPlugin.so", "logger: logger libLoggerPlugin.so"])
        #expect(plan.spares.map(\.library.fileName) == ["libLimitPlugin.so"])
        #expect(plan.spares.map(\.asksForEntry) == [true])
        #expect(plan.diagnostics.warnings == [])
    }

    @Test func `a folder in which everything asks for an entry is told with what there is`() throws {
        let plan = try PlanExample.plan(#"{ "directory": "." }"#, libraries: ["RulesPlugin", "LimitPlugin"])
        #expect(plan.instances.isEmpty && plan.failure == nil)
        #expect(plan.diagnostics.warnings.count == 1)
        #expect(
            plan.diagnostics.warnings.first?.sentence.hasSuffix(
                "nothing in it runs without an entry; name what to run in \"plugins\": limit, rules")
                == true)
    }

    @Test func `discovery list shows the others with their verdicts, and warns of nothing`() throws {
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "discovery": "list", "plugins": [{ "id": "probe" }] }"#,
            libraries: ["CounterPlugin", "ProbePlugin"]
        ) { try $0.write("no library", to: "libBroken.so") }
        #expect(entries(plan) == ["probe: probe libProbePlugin.so"])
        #expect(plan.spares.map(\.library.fileName) == ["libBroken.so", "libCounterPlugin.so"])
        #expect(plan.spares.map(\.reasons.count) == [1, 0])
        #expect(plan.diagnostics.warnings == [])
    }

    @Test func `discovery ignore looks at nothing else`() throws {
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "discovery": "ignore", "plugins": [{ "id": "probe" }] }"#,
            libraries: ["CounterPlugin", "ProbePlugin"]
        ) { try $0.write("no library", to: "libBroken.so") }
        #expect(entries(plan) == ["probe: probe libProbePlugin.so"])
        #expect(plan.spares.isEmpty)
        #expect(plan.diagnostics.warnings == [])
    }

    @Test func `a discovered library cannot take the id that belongs to the host`() throws {
        var library = try FixtureLibrary("SilentEntry")
        try library.changeNote(#""id":"broken""#, to: #""id":"host""#)
        let bytes = library.bytes
        let plan = try PlanExample.plan(#"{ "directory": "." }"#, libraries: ["CounterPlugin"]) {
            try $0.write(bytes, to: "libA.so")
        }
        #expect(entries(plan) == ["counter: counter libCounterPlugin.so"])
        #expect(
            plan.spares.map(\.reasons) == [
                [
                    #"its plugin id "host" belongs to the host; name the file in plugins.json with an id of its own"#
                ]
            ])
        #expect(plan.failure == nil)
    }

    @Test func `what is refused or missing keeps its place in the chain`() throws {
        let plan = try PlanExample.plan(
            """
            { "directory": ".", "plugins": [
              { "id": "bad", "library": "libBad.so" }, { "id": "gone", "optional": true }, { "id": "counter" } ] }
            """, libraries: ["CounterPlugin"]
        ) { try $0.write("no library", to: "libBad.so") }
        #expect(
            entries(plan) == ["bad: refused, 1", "gone: missing", "counter: counter libCounterPlugin.so"])
        #expect(plan.diagnostics.refusals.map(\.instance) == ["bad"])
        #expect(plan.failure?.isConfigurationBroken == false)
    }

    @Test func `every problem of settings is told with the place of value or key`() throws {
        let messages = try PlanExample.messages(
            """
            { "directory": ".", "discovery": "ignore", "plugins": [
              { "id": "logger", "settings": { "format": "jsno", "include": ["a*b", 1], "maximumLength": -1 } },
              { "id": "rules", "settings": { "rules": [{ "whn": "a", "emit": "b" }] } },
              { "id": "counter", "settings": { "step": null, "stop": 1 } } ] }
            """, libraries: ["LoggerPlugin", "RulesPlugin", "CounterPlugin"])
        #expect(
            messages == [
                #"plugins.json:2:45: /plugins/0/settings/format: expected "text" or "json", found "jsno"; did you mean "json"?"#,
                #"plugins.json:2:65: /plugins/0/settings/include/0: expected an action type, with * at most at its end, found "a*b"; correct it"#,
                "plugins.json:2:72: /plugins/0/settings/include/1: expected a string, found 1; correct it",
                "plugins.json:2:93: /plugins/0/settings/maximumLength: expected a number of at least 0, found -1; raise it",
                #"plugins.json:3:44: /plugins/1/settings/rules/0: expected the key "when", found none; add it"#,
                #"plugins.json:3:46: /plugins/1/settings/rules/0/whn: unknown key "whn"; did you mean "when"?"#,
                "plugins.json:4:44: /plugins/2/settings/step: expected an integer, found null; correct it",
                #"plugins.json:4:50: /plugins/2/settings/stop: unknown key "stop"; did you mean "step"?"#,
            ])
    }

    @Test func `lines of a map that nothing in the plugin answers to are problems`() throws {
        let messages = try PlanExample.messages(
            """
            { "directory": ".", "discovery": "ignore", "plugins": [
              { "id": "counter", "lift": { "input": { "a": "incremnt", "b/*": "inc*", "c/*": "x*" },
                                           "output": { "a": "b" } } },
              { "id": "logger", "lift": { "dependencies": ["clok"] } } ] }
            """, libraries: ["LoggerPlugin", "CounterPlugin"])
        #expect(
            messages == [
                #"plugins.json:2:48: /plugins/0/lift/input/a: the plugin counter does not consume "incremnt"; did you mean "increment"?"#,
                #"plugins.json:2:82: /plugins/0/lift/input/c~1*: the plugin counter does not consume anything that begins with "x"; correct or remove it"#,
                #"plugins.json:3:49: /plugins/0/lift/output/a: the plugin counter does not emit anything; remove it"#,
                #"plugins.json:4:48: /plugins/1/lift/dependencies/0: unknown dependency "clok", the host has "clock", "data", "state", "ingress", "control"; did you mean "clock"?"#,
            ])
    }
}
