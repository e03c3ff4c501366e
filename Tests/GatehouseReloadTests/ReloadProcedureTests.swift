// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How a running host comes to another plan, or keeps its own.
@Suite(.timeLimit(.minutes(10))) struct ReloadProcedureTests {
    /// A configuration with these entries.
    private func configuration(_ entries: String...) -> String {
        #"{ "directory": ".", "discovery": "ignore", "plugins": [\#(entries.joined(separator: ", "))] }"#
    }

    /// An entry of the plugin that counts.
    private func counter(_ id: String) -> String { #"{ "id": "\#(id)", "library": "libCounterPlugin.so" }"# }

    /// An entry of the plugin that holds a file.
    private func holding(_ file: String, _ label: String, _ more: String = "") -> String {
        #"{ "id": "holding", "settings": { "file": "<folder>/\#(file)", "label": "\#(label)"\#(more) } }"#
    }

    @Test func `instances come, go and keep their state and order`() async throws {
        let (one, both, other) = (
            configuration(counter("a")), configuration(counter("a"), counter("b")),
            configuration(counter("b"))
        )
        try await TestThread.value {
            let host = try ReloadedHost(one, libraries: ["CounterPlugin"])
            host.dispatch(AnyAction("a/increment"))
            let more = host.reload(both)
            #expect(more.isApplied && more.generation == 2 && more.diagnostics.all.isEmpty)
            #expect(host.ids == ["a", "b"])
            for id in ["a", "b"] { host.dispatch(AnyAction(ActionType(id + "/increment"))) }
            #expect(try host.state == ["a": ["count": 2], "b": ["count": 1]])
            let less = host.reload(other)
            #expect(less.isApplied && less.generation == 3)
            #expect(host.ids == ["b"])
            #expect(try host.state["b"] == ["count": 1])
            let same = host.reload(other)
            #expect(!same.isApplied && same.generation == 3)
            #expect("\(same)" == "nothing has changed, generation 3 runs on")
        }
    }

    @Test func `an instance that goes is told so before`() async throws {
        let (held, empty) = (configuration(counter("a"), holding("held", "one")), configuration(counter("a")))
        try await TestThread.value {
            let host = try ReloadedHost(held, libraries: ["CounterPlugin", "HoldingPlugin"])
            #expect(FileSystem.exists(host.path("held")))
            #expect(host.reload(empty).isApplied)
            #expect(!FileSystem.exists(host.path("held")))
        }
    }

    @Test func `what cannot be made refuses the plan with its reason, and the generation runs on`()
        async throws
    {
        let sound = configuration(#"{ "id": "patient", "settings": { "pulse": 60 } }"#)
        let odd = configuration(#"{ "id": "patient", "settings": { "pulse": 61 } }"#)
        try await TestThread.value {
            let host = try ReloadedHost(sound, libraries: ["PatientPlugin"])
            let refused = host.reload(odd)
            #expect(!refused.isApplied && refused.generation == 1)
            let sentences = refused.diagnostics.all.map(\.description)
            #expect(sentences.count == 1)
            #expect(sentences.first?.contains("expected an even number, found 61") == true, "\(sentences)")
            #expect(host.ids == ["patient"])
        }
    }

    @Test func `what fails at its start gives way to those before, in their order and with their state`()
        async throws
    {
        let sound = configuration(counter("a"), holding("held", "one"), counter("b"))
        let failing = configuration(counter("a"), holding("no/held", "two"), counter("b"))
        try await TestThread.value {
            let host = try ReloadedHost(sound, libraries: ["CounterPlugin", "HoldingPlugin"])
            host.dispatch(AnyAction("holding/add", payload: 5))
            let refused = host.reload(failing)
            #expect(!refused.isApplied && refused.generation == 1)
            #expect(
                refused.diagnostics.all.map(\.sentence) == [
                    "it reports that it is failing at its start: two cannot take its file"
                ])
            #expect(host.ids == ["a", "holding", "b"])
            #expect(FileSystem.exists(host.path("held")))
            for action in [AnyAction("holding/add", payload: 2), AnyAction("b/increment")] {
                host.dispatch(action)
            }
            #expect(try host.state["holding"] == ["sum": 7])
            #expect(try host.state["b"] == ["count": 1])
        }
    }

    @Test func `what fails at its start may finish, and what it has done until then is kept`() async throws {
        let sound = configuration(holding("held", "one"))
        let failing = configuration(holding("no/held", "two", #", "first": 3, "last": 4"#))
        try await TestThread.value {
            let host = try ReloadedHost(sound, libraries: ["HoldingPlugin"])
            host.dispatch(AnyAction("holding/add", payload: 5))
            let refused = host.reload(failing)
            #expect(!refused.isApplied)
            #expect(
                refused.diagnostics.all.map(\.sentence) == [
                    "it reports that it is failing at its start: two cannot take its file"
                ])
            #expect(try host.state["holding"] == ["sum": 12])
        }
    }

    @Test(arguments: [true, false], [#""gate": { "state": "/open" }, "#, #""gate": "bypass", "#])
    func `an instance that comes back reduces late what passed its gate`(isOpen: Bool, gate: String)
        async throws
    {
        let migrant =
            #"{ \#(gate)"id": "migrant", "library": "libMigrantOnePlugin.so", "lift": { "input": { "holding/add": "add" } } }"#
        let text = { (entries: String) in
            #"{ "directory": ".", "discovery": "ignore", "state": { "open": \#(isOpen) }, "plugins": [\#(entries)] }"#
        }
        let sound = text(migrant + ", " + holding("held", "one"))
        let failing = text(holding("no/held", "two", #", "first": 5"#))
        let isBypassed = gate.contains("bypass")
        try await TestThread.value {
            let host = try ReloadedHost(sound, libraries: ["MigrantOnePlugin", "HoldingPlugin"])
            if isBypassed, isOpen { host.dispatch(AnyAction("host/gate/open", payload: "migrant")) }
            #expect(!host.reload(failing).isApplied)
            #expect(try host.state["migrant"]?["total"] == (isOpen ? 5 : 0))
            #expect(try host.state["holding"] == ["sum": 5])
            host.dispatch(AnyAction("holding/add", payload: 2))
            #expect(try host.state["migrant"]?["total"] == (isOpen ? 7 : 0))
        }
    }

    @Test func `a gate that follows the state from here on looks at what the same change makes of it`()
        async throws
    {
        let text = { (gate: String, isOpen: Bool) in
            #"{ "directory": ".", "discovery": "ignore", "state": { "open": \#(isOpen) }, "plugins": [{ \#(gate)"id": "holding", "settings": { "stays": true } }] }"#
        }
        let (before, after) = (text("", false), text(#""gate": { "state": "/open" }, "#, true))
        try await TestThread.value {
            let host = try ReloadedHost(before, libraries: ["HoldingPlugin"])
            host.dispatch(AnyAction("holding/add", payload: 1))
            #expect(host.reload(after).isApplied)
            #expect(host.host.turn { $0.instances.first?.gate } == .active)
            // One that had been shut for a moment would have ended it.
            #expect(host.host.turn { $0.instances.first?.activity.running } == 1)
        }
    }

    @Test func `a gate that comes back has seen what has passed`() async throws {
        let gated =
            #"{ "id": "a", "library": "libCounterPlugin.so", "gate": { "control": { "type": "holding/add" }, "turnOn": 5, "turnOff": 6 } }"#
        let others = [
            counter("a"), #"{ "id": "a", "library": "libCounterPlugin.so", "settings": { "step": 2 } }"#,
        ]
        let sound = configuration(gated, holding("held", "one"))
        let failing = (others + [counter("b")]).map { [self] in
            configuration($0, holding("no/held", "two", #", "first": 6"#))
        }
        try await TestThread.value {
            for text in failing {
                let host = try ReloadedHost(sound, libraries: ["CounterPlugin", "HoldingPlugin"])
                host.dispatch(AnyAction("a/increment"))
                #expect(!host.reload(text).isApplied)
                #expect(host.host.turn { $0.instances.first?.gate } == .bypass, "\(text)")
            }
        }
    }

    @Test func `effects that do not end in time are told, with what becomes of them`() async throws {
        let (both, one) = (
            configuration(counter("a"), #"{ "id": "ending" }"#), configuration(counter("a"))
        )
        try await TestThread.value {
            let host = try ReloadedHost(
                both, libraries: ["CounterPlugin", "EndingPlugin"], grace: .milliseconds(50))
            host.dispatch(AnyAction("ending/stay"))
            let outcome = host.reload(one)
            #expect(outcome.isApplied)
            #expect(
                outcome.diagnostics.all.map(\.sentence) == [
                    "1 of its effects was still running 0.05 s after it was asked to end, and begins again"
                ])
        }
    }

    @Test
    func `a drain that is busy when instances were asked to end is waited for, because they cannot go on`()
        async throws
    {
        let (both, one) = (
            configuration(counter("a"), #"{ "id": "ending" }"#), configuration(counter("a"))
        )
        try await TestThread.value {
            let host = try ReloadedHost(both, libraries: ["CounterPlugin", "EndingPlugin"])
            host.host.store.patience = .milliseconds(100)
            // What an instance emits when it is asked to end keeps the drain longer than that.
            host.host.store.hooks.onAction = { dispatched in
                guard dispatched.action.type.name == "ending/farewell" else { return }
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(300))
            }
            let outcome = host.reload(one)
            #expect(outcome.isApplied, "\(outcome)")
            #expect(host.ids == ["a"])
        }
    }

    @Test func `another generation than the one that was looked at is not replaced`() async throws {
        let (one, two) = (configuration(counter("a")), configuration(counter("b")))
        try await TestThread.value {
            let host = try ReloadedHost(one, libraries: ["CounterPlugin"])
            host.write(two)
            let refused = host.procedure.perform(expecting: 7)
            #expect(
                refused.diagnostics.all.map(\.sentence) == [
                    "expected generation 7, found generation 1; look at it and ask again"
                ])
            #expect(host.procedure.perform(expecting: 1).isApplied)
        }
    }
}
