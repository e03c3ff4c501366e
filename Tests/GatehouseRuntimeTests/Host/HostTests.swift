// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseRuntime

/// Actions through real libraries.
@Suite(.timeLimit(.minutes(10))) struct HostTests {
    @Test func `an action reaches the state of the instance that hears it`() async throws {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"],
            lines: [#"{"type":"counter/increment"}"#, #"{"type":"counter/increment","payload":{"by":4}}"#])
        #expect(run.state == ["counter": ["count": 5]])
        #expect(run.reports == [])
        #expect(run.counts.actions == 2)
    }

    @Test func `one library serves several instances, each with settings, lift and slice of its own`()
        async throws
    {
        let run = try await HostRun(
            """
            { "directory": ".", "plugins": [
              { "id": "orders-eu", "library": "libCounterPlugin.so", "settings": { "start": 100 },
                "lift": { "input": { "orders/eu/placed": "increment" }, "state": "/orders/eu" } },
              { "id": "orders-us", "library": "libCounterPlugin.so", "settings": { "step": 10 },
                "lift": { "input": "orders/us/", "state": "/orders/us" } },
              { "id": "orders", "library": "libCounterPlugin.so",
                "lift": { "input": { "orders/eu/placed": "increment", "orders/us/increment": "increment" } ,
                          "state": "/total" } } ] }
            """, libraries: ["CounterPlugin"],
            lines: [
                #"{"type":"orders/eu/placed","payload":{"id":7}}"#, #"{"type":"orders/us/increment"}"#,
                #"{"type":"orders/us/reset"}"#, #"{"type":"orders/us/increment"}"#,
                #"{"type":"orders/apac/placed"}"#,
            ])
        #expect(
            run.state == [
                "orders": ["eu": ["count": 101], "us": ["count": 10]], "total": ["count": 3],
            ])
    }

    @Test func `a slice starts with what the configuration has at its place`() async throws {
        let run = try await HostRun(
            """
            { "directory": ".", "state": { "shop": { "count": { "count": 40 }, "name": "north" } },
              "plugins": [{ "id": "counter", "lift": { "state": "/shop/count" } }] }
            """, libraries: ["CounterPlugin"], lines: [#"{"type":"counter/increment"}"#])
        #expect(run.state == ["shop": ["count": ["count": 41], "name": "north"]])
    }

    @Test func `an instance that is granted state sees what the action changed, in whatever slice`()
        async throws
    {
        let configuration = { (grants: String) in
            """
            { "directory": ".", "plugins": [{ "id": "counter" },
              { "id": "logger", "settings": { "state": "/counter" }, "lift": { "dependencies": [\(grants)] } }] }
            """
        }
        let line = #"{"type":"counter/increment"}"#
        let granted = try await HostRun(
            configuration(#""state""#), libraries: ["CounterPlugin", "LoggerPlugin"], lines: [line, line])
        #expect(
            granted.reports == [
                "logger: counter/increment from input.ndjson:1: /counter/count 0 -> 1",
                "logger: counter/increment from input.ndjson:2: /counter/count 1 -> 2",
            ])
        let denied = try await HostRun(
            configuration(""), libraries: ["CounterPlugin", "LoggerPlugin"], lines: [line])
        #expect(denied.reports.allSatisfy { !$0.contains("/counter/count") })
    }

    // MARK: - Outputs

    @Test func `outputs join the queue under their global names`() async throws {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"],
            lines: [
                #"{"type":"probe/ping","payload":{"number":1}}"#,
                #"{"type":"probe/ping","payload":{"number":2}}"#,
            ])
        #expect(
            run.actions == [
                #"probe/ping {"number":1}"#, #"probe/pong {"number":1}"#, #"probe/ping {"number":2}"#,
                #"probe/pong {"number":2}"#,
            ])
        #expect(run.state == ["probe": ["heard": 2]])
    }

    @Test func `an output under another instance's name reaches that instance`() async throws {
        let run = try await HostRun(
            """
            { "directory": ".", "plugins": [{ "id": "counter" },
              { "id": "probe", "lift": { "output": { "pong": "counter/increment" } }, "allow": ["counter/*"] }] }
            """, libraries: ["CounterPlugin", "ProbePlugin"],
            lines: [#"{"type":"probe/ping","payload":{"number":1}}"#])
        #expect(run.state["counter"] == ["count": 1])
    }

    @Test func `an output is heard under the name the lift gives it, also by another instance of its plugin`()
        async throws
    {
        let run = try await HostRun(
            """
            { "directory": ".", "plugins": [
              { "id": "a", "library": "libProbePlugin.so", "lift": { "output": { "pong": "b/ping" } }, "allow": ["b/*"] },
              { "id": "b", "library": "libProbePlugin.so" } ] }
            """, libraries: ["ProbePlugin"], lines: [#"{"type":"a/ping","payload":{"number":1}}"#])
        #expect(
            run.actions == [
                #"a/ping {"number":1}"#, #"b/ping {"number":1}"#, #"b/pong {"number":1}"#,
            ])
    }

    @Test func `an output that the manifest does not declare is refused, counted, and reported once`()
        async throws
    {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"],
            lines: Array(repeating: #"{"type":"probe/stray"}"#, count: 3))
        #expect(run.counts.refusedOutputs == 3)
        #expect(run.counts.actions == 3)
        #expect(
            run.reports == [
                "probe: may not emit probe/secret: its plugin.json does not declare it in \"emits\"; name it in \"allow\""
            ])
    }

    @Test func `an output that allow does not cover is refused`() async throws {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "probe", "allow": ["probe/echoed"] }] }"#,
            libraries: ["ProbePlugin"],
            lines: [#"{"type":"probe/ping","payload":{"number":1}}"#])
        #expect(run.actions.count == 1)
        #expect(run.reports == ["probe: may not emit probe/pong: \"allow\" does not cover it; add it there"])
    }

    @Test func `an output that the lift does not name is refused`() async throws {
        let run = try await HostRun(
            """
            { "directory": ".", "plugins": [{ "id": "probe", "lift": { "output": { "echoed": "app/echoed" } } }] }
            """, libraries: ["ProbePlugin"], lines: [#"{"type":"probe/ping","payload":{"number":1}}"#])
        #expect(
            run.reports == ["probe: may not emit pong: the lift's \"output\" does not name it; add it there"])
    }

    @Test func `a host action is refused as output unless allow spells it out`() async throws {
        let lift = #""lift": { "output": { "pong": "host/gate/close" } }"#
        let message = try await HostRun.failure(
            #"{ "directory": ".", "plugins": [{ "id": "probe", \#(lift) }] }"#, libraries: ["ProbePlugin"])
        #expect(
            message == [
                "plugins.json:1:80: /plugins/0/lift/output/pong: types below \"host/\" belong to the host, found \"host/gate/close\"; choose another name, only \"allow\" may list host actions"
            ])
    }

    @Test func `a chain of outputs without end is cut and its cycle named`() async throws {
        let run = try await HostRun(
            #"{ "directory": ".", "limits": {"chain": 50}, "plugins": [{ "id": "probe" }] }"#,
            libraries: ["ProbePlugin"],
            lines: [#"{"type":"probe/spin"}"#, #"{"type":"probe/ping","payload":{"number":1}}"#])
        #expect(
            run.reports == [
                "input.ndjson:1: probe/spin: it led to more than 50 actions in a row, each in answer to the one before, and 1 was dropped; what repeats is probe/spin -> probe/spin, emitted by probe; let no instance answer what it emits itself, or raise \"limits\"/\"chain\""
            ])
        #expect(run.counts.actions == 51 + 2)
        #expect(run.state["probe"] == ["heard": 52])
    }

    @Test func `a run ends after the effects that its input started`() async throws {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"],
            lines: [#"{"type":"probe/later","payload":{"text":"hello"}}"#])
        #expect(run.state == ["probe": ["heard": 2, "echo": "hello"]])
        #expect(run.actions.last == #"probe/echoed {"text":"hello"}"#)
    }

    // MARK: - Payloads

    @Test
    func `a payload that does not fit is reported with line and column, and the plugin does not see it`()
        async throws
    {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "probe" }, { "id": "counter" }] }"#,
            libraries: ["ProbePlugin", "CounterPlugin"],
            lines: [
                "", #"{"type":"probe/fill","payload":{"cups":[{"size":1},{"size":"tall"}]}}"#,
                #"{ "payload": {"by": "many"}, "type": "counter/increment" }"#, #"{"type":"probe/fill"}"#,
                #"{"type":"probe/fill","payload":{"cups":[]}}"#,
            ])
        #expect(
            run.reports == [
                "input.ndjson:2:60: probe/fill for probe: the payload does not fit: /cups/1/size: expected an integer, found a string",
                "input.ndjson:3:21: counter/increment for counter: the payload does not fit: /by: expected an integer, found a string",
                "input.ndjson:4:1: probe/fill for probe: the payload does not fit: the whole value: expected a member \"cups\", found none",
            ])
        #expect(run.state == ["probe": ["heard": 1], "counter": ["count": 0]])
        #expect(run.summary.rejected == 0)
    }

    @Test func `a payload that does not fit ends a strict run`() async throws {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"],
            lines: [#"{"type":"counter/increment","payload":{"by":"x"}}"#, #"{"type":"counter/increment"}"#],
            isStrict: true)
        #expect(run.summary.stoppedAtBadData)
        #expect(run.summary.lines == 1)
        #expect(run.state == ["counter": ["count": 0]])
    }

    @Test func `bad data that an effect brings on after the input ended is bad data of a strict run`()
        async throws
    {
        let run = try await HostRun(
            """
            { "directory": ".", "plugins": [{ "id": "counter" },
              { "id": "probe", "lift": { "output": { "echoed": "counter/increment" } }, "allow": ["counter/*"] },
              { "id": "rules", "settings": { "rules": [
                { "when": "counter/increment", "emit": "probe/fill", "payload": 1 }] } }] }
            """, libraries: ["CounterPlugin", "ProbePlugin", "RulesPlugin"],
            lines: [#"{"type":"probe/later","payload":{"text":"a"}}"#], isStrict: true)
        #expect(run.reports.count == 1)
        #expect(run.summary.stoppedAtBadData)
    }

    // MARK: - Counting like a stranger

    @Test func `counters agree with a count made by hand over 5,000 generated actions`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let types = ["orders/placed", "orders/paid", "users/joined", "users/left", "noise"]
        var expected = ["orders": 0, "users": 0, "placed": 0]
        let lines = (0..<5_000).map { number in
            let type = types[Int.random(in: 0..<types.count, using: &generator)]
            let by = Bool.random(using: &generator) ? Int.random(in: -3...9, using: &generator) : nil
            if type.hasPrefix("orders/") { expected["orders", default: 0] += by ?? 1 }
            if type.hasPrefix("users/") { expected["users", default: 0] += by ?? 1 }
            if type == "orders/placed" { expected["placed", default: 0] += by ?? 1 }
            let members = (by.map { ["\"by\":\($0)"] } ?? []) + ["\"number\":\(number)", "\"note\":\"é\\n\""]
            return
                "{\"type\":\"\(type)\",\"payload\":{\(members.shuffled(using: &generator).joined(separator: ","))}}"
        }
        let run = try await HostRun(
            """
            { "directory": ".", "plugins": [
              { "id": "orders", "library": "libCounterPlugin.so",
                "lift": { "input": { "orders/placed": "increment", "orders/paid": "increment" } } },
              { "id": "users", "library": "libCounterPlugin.so",
                "lift": { "input": { "users/joined": "increment", "users/left": "increment" } } },
              { "id": "placed", "library": "libCounterPlugin.so",
                "lift": { "input": { "orders/placed": "increment" } } } ] }
            """, libraries: ["CounterPlugin"], lines: lines)
        for (id, count) in expected {
            #expect(run.state[id] == ["count": Value(count)], "seed \(seed), \(id)")
        }
        #expect(run.counts.actions == 5_000)
        #expect(run.reports == [])
    }
}
