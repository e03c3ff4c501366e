// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// A foreign plugin in a running host, by the fixture that does what it is asked.
@Suite(.timeLimit(.minutes(10))) struct ForeignRunTests {
    /// What an instance of the fixture emits while it hears types, and what is reported; without what it says at its start and end.
    private func run(_ types: String..., settings: String = "{}") async throws -> HostRun {
        try await HostRun(
            #"{ "directory": ".", "state": { "plain": { "a": 1 } }, "plugins": [{ "id": "foreign-probe", "settings": \#(settings) }] }"#,
            libraries: ["ForeignProbe"], lines: types.map { #"{"type":"foreign-probe/\#($0)"}"# })
    }

    /// What the fixture has told, in order, but for its start and end.
    private func told(_ run: HostRun) -> [String] {
        let all = run.actions.filter { $0.hasPrefix("foreign-probe/told") }
            .map { String($0.dropFirst("foreign-probe/told ".count)) }
        return all.filter { $0 != #""started""# && $0 != #""stopped""# }
    }

    /// What was reported but for the line that each instance writes while it is made.
    private func reports(_ run: HostRun) -> [String] {
        run.reports.filter { $0 != "foreign-probe: is being made" }
    }

    @Test func `an action comes as type and JSON, and what is emitted goes out under its global name`()
        async throws
    {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "foreign-probe", "lift": { "input": "in/", "output": "out/" } }] }"#,
            libraries: ["ForeignProbe"],
            lines: [#"{"type":"in/echo","payload":{"ü":[1,2.5,null]}}"#, #"{"type":"in/echo"}"#])
        #expect(
            run.actions == [
                #"out/told "started""#, #"in/echo {"ü":[1,2.5,null]}"#, #"out/told {"ü":[1,2.5,null]}"#,
                "in/echo", "out/told", #"out/told "stopped""#,
            ])
        #expect(run.reports == ["foreign-probe: is being made"])
    }

    @Test func `handle sees the state before the reducers, run_after the state after them`() async throws {
        let run = try await run("count", "read-before")
        #expect(told(run) == [#"{"count":1}"#, #"{"count":2}"#])
        #expect(run.state == ["plain": ["a": 1], "foreign-probe": ["count": 2]])
    }

    @Test func `run_after is not called for what handle does not ask it for`() async throws {
        let run = try await run("unanswered")
        #expect(told(run) == [])
    }

    @Test func `the state of the host can be read inside a call`() async throws {
        let run = try await run("read-host")
        #expect(told(run) == [#"{"a":1}"#, #"{"nothing there":3}"#, #"{"no pointer":2}"#])
    }

    @Test func `an instance learns its name and what it was granted`() async throws {
        let run = try await run("read-self")
        #expect(told(run) == [#""foreign-probe""#, #"{"data":3}"#, #"{"has a time":0}"#])
    }

    @Test func `a thread emits and reads the own state, and the run waits for its work`() async throws {
        let run = try await run("count", "thread")
        #expect(
            told(run) == [
                #""from a thread""#, #"{"count":1}"#, #"{"host state on a thread":4}"#, #"{"end twice":1}"#,
            ])
    }

    @Test func `cancelled work is told so, and what it emits is dropped`() async throws {
        let run = try await run("linger", "cancel", "cancel")
        #expect(
            Set(told(run)) == [
                #"{"cancel":0}"#, #"{"cancel":3}"#, #"{"is running":0}"#, #"{"emit for cancelled work":1}"#,
            ])
        #expect(reports(run) == [])
    }

    @Test func `work that waits until it is kept is done after the reducers, with its memo and a key`()
        async throws
    {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "foreign-probe" }] }"#, libraries: ["ForeignProbe"],
            lines: [#"{"type":"foreign-probe/keep","payload":[1]}"#])
        #expect(told(run) == [#"{"memo":[1],"has a key":1}"#, #"{"count":1}"#])
        #expect(reports(run) == [])
    }

    @Test func `work that is cancelled while it waits is not done`() async throws {
        #expect(try await told(run("keep-cancelled")) == [#"{"runs":1}"#, #"{"cancel":0}"#])
    }

    @Test func `on a thread of the plugin no work waits, nor does any of a kind that is not known`()
        async throws
    {
        #expect(
            try await Set(told(run("keep-elsewhere"))) == [#"{"kept on a thread":0}"#, #"{"kept as":0}"#])
    }

    @Test func `a plugin of the first header runs as it did`() async throws {
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "foreign-first" }] }"#, libraries: ["ForeignFirst"],
            lines: [#"{"type":"foreign-first/work"}"#])
        #expect(run.actions == ["foreign-first/work", #"foreign-first/done {"count":1}"#])
        #expect(run.reports == [])
        #expect(run.state == ["foreign-first": ["count": 1]])
    }

    @Test func `a gate that closes cancels work, and is told`() async throws {
        let run = try await HostRun(
            #"""
            { "directory": ".", "ingress": { "allow": ["*", "host/*"] }, "plugins": [{ "id": "foreign-probe" }] }
            """#, libraries: ["ForeignProbe"],
            lines: [
                #"{"type":"foreign-probe/linger"}"#,
                #"{"type":"host/gate/close","payload":"foreign-probe"}"#,
            ])
        #expect(reports(run) == ["foreign-probe: its gate is closed"])
    }

    @Test func `what is no JSON is told with its place, and nobody hears it`() async throws {
        let run = try await run("no-json", "no-type")
        #expect(told(run) == [#"{"no JSON":2}"#, #"{"no type":2}"#])
        #expect(
            reports(run) == [
                #"foreign-probe: an action that it emits cannot be written as JSON: /payload: expected JSON for "told", found text that is not, 1:6: expected a value, found '}'"#,
                "foreign-probe: an action that it emits cannot be written as JSON: /type: expected the name of an action, found none",
            ])
    }

    @Test func `a state that is no JSON is told with the action's place, and the one before stays`()
        async throws
    {
        let run = try await run("count", "spoil", "count")
        #expect(
            reports(run) == [
                "input.ndjson:2: foreign-probe/spoil for foreign-probe: expected a state that is JSON, found text that is not, 1:10: expected a value, found the end of the text; the state stays as it was"
            ])
        #expect(run.state["foreign-probe"] == ["count": 2])
    }

    @Test func `nothing is emitted from within reduce`() async throws {
        let run = try await run("emit-in-reduce")
        #expect(told(run) == [])
        #expect(run.state["foreign-probe"] == ["count": -1])
    }

    @Test func `what the manifest does not list may not be emitted`() async throws {
        let run = try await run("not-declared")
        #expect(
            reports(run) == [
                "foreign-probe: may not emit foreign-probe/other: its plugin.json does not declare it in \"emits\"; name it in \"allow\""
            ])
    }

    @Test func `numbers and texts that cannot be right are answered and do no harm`() async throws {
        let run = try await run("bad-numbers")
        #expect(
            told(run) == [
                #"{"level":2}"#, #"{"text":2}"#, #"{"kind":0}"#, #"{"instance":1}"#, #"{"action":2}"#,
                #"{"work":1}"#, #"{"reserved":2}"#, #"{"refuse":4}"#, #"{"replace":4}"#,
            ])
    }

    @Test func `an instance says that it fails, and that it works again`() async throws {
        let run = try await run("sicken", "recover")
        #expect(
            reports(run) == [
                "foreign-probe: is failing: nothing works", "foreign-probe: is no longer failing",
            ])
    }

    @Test func `an instance says what it has not done, which needs a type`() async throws {
        let run = try await run("fail")
        #expect(told(run) == [#"{"fail":0}"#, #"{"no type":2}"#])
        #expect(reports(run) == [#"foreign-probe: has not done "fail": there is no room"#])
    }

    @Test func `it stops and changes actions like any interceptor`() async throws {
        let run = try await run("stop-me", "change-me")
        #expect(
            run.actions == [
                #"foreign-probe/told "started""#, #"foreign-probe/told "changed""#,
                #"foreign-probe/told "stopped""#,
            ])
    }

    @Test func `settings that create refuses are told with the place that it names`() async throws {
        #expect(
            try await HostRun.failure(
                #"{ "directory": ".", "plugins": [{ "id": "foreign-probe", "settings": { "refuse": "" } }] }"#,
                libraries: ["ForeignProbe"]) == [
                    "plugins.json:1:82: /plugins/0/settings/refuse: expected what the plugin can use, found what it refuses: nothing pleases it"
                ])
        #expect(
            try await HostRun.failure(
                #"{ "directory": ".", "plugins": [{ "id": "foreign-probe", "settings": { "silent": true } }] }"#,
                libraries: ["ForeignProbe"]) == [
                    "plugins.json:1:70: /plugins/0/settings: expected what the plugin can use, found what it refuses: it gives no reason"
                ])
    }

    @Test func `several instances of one library have a state each`() async throws {
        let run = try await HostRun(
            #"""
            { "directory": ".", "plugins": [
              { "id": "a", "library": "libForeignProbe.so" },
              { "id": "b", "library": "libForeignProbe.so" }
            ] }
            """#, libraries: ["ForeignProbe"],
            lines: [#"{"type":"a/count"}"#, #"{"type":"b/count"}"#, #"{"type":"b/count"}"#])
        #expect(run.state == ["a": ["count": 1], "b": ["count": 2]])
    }

    @Test func `numbers that no Double holds and long texts go through as they came`() async throws {
        let number = "123456789012345678901234567890123456789e400"
        let long = #""\#(String(repeating: "x", count: 70_000))""#
        let run = try await HostRun(
            #"{ "directory": ".", "plugins": [{ "id": "foreign-probe" }] }"#, libraries: ["ForeignProbe"],
            lines: [number, long].map { #"{"type":"foreign-probe/echo","payload":\#($0)}"# })
        #expect(told(run) == [number, long])
    }
}
