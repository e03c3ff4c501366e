// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// Gates in front of instances of real libraries.
@Suite(.timeLimit(.minutes(10))) struct GateTests {
    /// Two instances of the probe, of which `a` has a gate.
    private func configuration(gate: String, more: String = "") -> String {
        """
        { "directory": ".", \(more) "plugins": [
          { "id": "a", "library": "libProbePlugin.so", "gate": \(gate) },
          { "id": "b", "library": "libProbePlugin.so" } ] }
        """
    }

    private func run(_ configuration: String, _ lines: [String]) async throws -> HostRun {
        try await HostRun(configuration, libraries: ["ProbePlugin"], lines: lines)
    }

    private func ping(_ id: String, _ number: Int) -> String {
        #"{"type":"\#(id)/ping","payload":{"number":\#(number)}}"#
    }

    @Test func `a gate that is bypass keeps actions from middleware and reducer of that instance alone`()
        async throws
    {
        let run = try await run(configuration(gate: "\"bypass\""), [ping("a", 1), ping("b", 1)])
        #expect(run.state == ["a": ["heard": 0], "b": ["heard": 1]])
        #expect(run.actions == [#"a/ping {"number":1}"#, #"b/ping {"number":1}"#, #"b/pong {"number":1}"#])
    }

    @Test func `a control action opens and closes exactly its instance`() async throws {
        let gate = #"{ "control": { "type": "app/a", "at": "/enable" }, "default": "bypass" }"#
        let run = try await run(
            configuration(gate: gate),
            [
                ping("a", 1), ping("b", 1), #"{"type":"app/a","payload":{"enable":true}}"#, ping("a", 2),
                #"{"type":"app/a","payload":{"enable":"other"}}"#, ping("a", 3),
                #"{"type":"app/a","payload":{"enable":false}}"#, ping("a", 4), ping("b", 2),
            ])
        #expect(run.state == ["a": ["heard": 2], "b": ["heard": 2]])
        #expect(
            run.actions.filter { $0.hasPrefix("a/pong") } == [
                #"a/pong {"number":2}"#, #"a/pong {"number":3}"#,
            ])
    }

    @Test func `the control action itself reaches the instance also when its gate is closed`() async throws {
        let gate =
            #"{ "control": { "type": "a/later", "at": "/text" }, "turnOn": "on", "turnOff": "off", "default": "bypass" }"#
        let run = try await run(
            configuration(gate: gate),
            [
                #"{"type":"a/later","payload":{"text":"neither"}}"#, ping("a", 1),
                #"{"type":"a/later","payload":{"text":"off"}}"#, ping("a", 2),
            ])
        // Both are heard by middleware and reducer; what the effects emit does not pass the closed gate.
        #expect(run.state["a"] == ["heard": 2])
        #expect(run.counts.droppedOutputs == 2)
        #expect(run.actions.contains { $0.hasPrefix("a/echoed") } == false)
    }

    @Test func `a gate on the state opens and closes exactly its instance`() async throws {
        let run = try await run(
            configuration(
                gate: #"{ "state": "/features/a" }"#,
                more:
                    #""state": { "features": { "a": true } }, "ingress": { "allow": ["*", "host/state/merge"] },"#
            ),
            [
                ping("a", 1), #"{"type":"host/state/merge","payload":{"features":{"a":false}}}"#,
                ping("a", 2),
                ping("b", 1), #"{"type":"host/state/merge","payload":{"features":{"a":"active"}}}"#,
                ping("a", 3),
                #"{"type":"host/state/merge","payload":{"features":null}}"#, ping("a", 4),
            ])
        #expect(run.state == ["a": ["heard": 2], "b": ["heard": 1]])
        #expect(run.reports == [])
    }

    @Test func `a gate may follow another instance's slice`() async throws {
        let run = try await run(
            configuration(gate: #"{ "state": "/b/echo" }"#),
            [
                ping("a", 1), #"{"type":"b/echoed","payload":{"text":"active"}}"#, ping("a", 2),
                #"{"type":"b/echoed","payload":{"text":"bypass"}}"#, ping("a", 3),
            ])
        #expect(run.state["a"] == ["heard": 1])
    }

    @Test func `host actions open and close a gate by the instance's id`() async throws {
        let run = try await run(
            configuration(gate: "\"active\"", more: #""ingress": { "allow": ["*", "host/gate/*"] },"#),
            [
                ping("a", 1), #"{"type":"host/gate/close","payload":"a"}"#, ping("a", 2), ping("b", 1),
                #"{"type":"host/gate/open","payload":"b"}"#, ping("a", 3),
                #"{"type":"host/gate/open","payload":"a"}"#,
                ping("a", 4),
            ])
        #expect(run.state == ["a": ["heard": 2], "b": ["heard": 1]])
        #expect(run.reports == [])
    }

    @Test func `input may not carry host actions unless ingress allows them`() async throws {
        let run = try await run(
            configuration(gate: "\"active\""), [#"{"type":"host/gate/close","payload":"a"}"#, ping("a", 1)])
        #expect(
            run.reports == [
                "input.ndjson:1: host/gate/close: input may not carry host actions; allow this one in \"ingress\"/\"allow\""
            ])
        #expect(run.state["a"] == ["heard": 1])
    }

    @Test func `a host action that does not exist is reported, also where ingress allows it`() async throws {
        let run = try await run(
            configuration(gate: "\"active\"", more: #""ingress": { "allow": ["*", "host/gate/*"] },"#),
            [#"{"type":"host/gate/clsoe","payload":"a"}"#, ping("a", 1)])
        #expect(
            run.reports == [
                "input.ndjson:1: host/gate/clsoe: there is no such host action; expected \"host/gate/open\", \"host/gate/close\", \"host/state/merge\" or \"host/reload\""
            ])
        #expect(run.state["a"] == ["heard": 1])
    }

    @Test func `a gate action for an id that no gate has is reported`() async throws {
        let run = try await run(
            configuration(
                gate: #"{ "state": "/on" }"#, more: #""ingress": { "allow": ["*", "host/gate/*"] },"#),
            [
                #"{"type":"host/gate/close","payload":"c"}"#, #"{"type":"host/gate/close","payload":"a"}"#,
                #"{"type":"host/gate/open"}"#,
            ])
        #expect(
            run.reports == [
                "input.ndjson:1: host/gate/close: expected the id of an instance as payload, found \"c\"; the instances are a, b",
                "input.ndjson:2: host/gate/close: the gate of a follows the state at /on; change it with host/state/merge",
                "input.ndjson:3: host/gate/open: expected the id of an instance as payload, found none; the instances are a, b",
            ])
    }

    @Test func `a merge into a slice is refused with its owner`() async throws {
        let run = try await run(
            configuration(gate: "\"active\"", more: #""ingress": { "allow": ["*", "host/state/merge"] },"#),
            [
                #"{"type":"host/state/merge","payload":{"a":{"heard":7},"plain":1}}"#,
                #"{"type":"host/state/merge","payload":7}"#, #"{"type":"host/state/merge"}"#,
                #"{"type":"host/state/merge","payload":{"host":{"x":1}}}"#,
                #"{"type":"host/state/merge","payload":{"plain":2}}"#,
            ])
        #expect(run.state == ["plain": 2, "a": ["heard": 0], "b": ["heard": 0]])
        #expect(
            run.reports == [
                "input.ndjson:1: host/state/merge: the patch reaches into /a, which belongs to the instance a; nothing was merged",
                "input.ndjson:2: host/state/merge: expected an object as payload, found an integer",
                "input.ndjson:3: host/state/merge: expected an object as payload, found none",
                "input.ndjson:4: host/state/merge: the patch reaches into /host, which belongs to the host; nothing was merged",
            ])
    }

    @Test func `closing a gate cancels its effects, so that the run can end`() async throws {
        let run = try await run(
            configuration(gate: "\"active\"", more: #""ingress": { "allow": ["*", "host/gate/*"] },"#),
            [#"{"type":"a/hold"}"#, #"{"type":"host/gate/close","payload":"a"}"#])
        #expect(run.summary.lines == 2)
    }
}
