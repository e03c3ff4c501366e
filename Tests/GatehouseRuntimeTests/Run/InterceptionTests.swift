// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime

/// Instances of a real library that decide about actions.
@Suite(.timeLimit(.minutes(10))) struct InterceptionTests {
    /// Two instances, `a` outermost, that hear and emit below `work/` and add 1 and 10.
    private func configuration(_ a: String = "", _ more: String = "") -> String {
        let member = { (id: String, add: Int, more: String) in
            """
            { "id": "\(id)", "library": "libInterceptorPlugin.so", "settings": { "add": \(add) },
              "lift": { "input": "work/", "output": "work/" } \(more) }
            """
        }
        return """
            { "directory": ".", \(more) "plugins": [\(member("a", 1, a)), \(member("b", 10, ""))] }
            """
    }

    private func run(_ configuration: String, _ actions: String...) async throws -> HostRun {
        try await HostRun(configuration, libraries: ["InterceptorPlugin"], lines: actions)
    }

    private func work(_ name: String, _ number: Int = 1) -> String {
        #"{"type":"work/\#(name)","payload":{"number":\#(number)}}"#
    }

    private let allowHost = #""ingress": { "allow": ["*", "host/*"] },"#

    @Test func `an action passed on is the very one that came`() async throws {
        let run = try await run(
            configuration(), #"{"type":"work/pass","payload":{"extra":[1.50],"number":3}}"#)
        #expect(run.actions == [#"work/pass {"extra":[1.5],"number":3}"#])
        #expect(run.state == ["a": ["reduced": ["pass 3"]], "b": ["reduced": ["pass 3"]]])
        #expect(run.counts.stoppedActions == 0)
    }

    @Test func `instances are asked in chain order, and next returns after the reducers`() async throws {
        let run = try await run(configuration(), work("pass"))
        // The inner one finishes first, and both have reduced by then.
        #expect(run.reports == ["b: 0 before, 1 after", "a: 0 before, 1 after"])
    }

    @Test func `a changed action goes on under its global type and is routed anew after the instance`()
        async throws
    {
        let run = try await run(configuration(), work("change", 5))
        // a makes 6 of it and is not asked again; b hears what it became and adds 10.
        #expect(run.actions == [#"work/changed {"number":16}"#])
        #expect(run.state == ["a": ["reduced": ["changed 16"]], "b": ["reduced": ["changed 16"]]])
    }

    @Test func `the type that an instance heard needs no permission, whatever its name outside`() async throws
    {
        let run = try await run(
            """
            { "directory": ".", "plugins": [{ "id": "a", "library": "libInterceptorPlugin.so", "allow": [],
              "settings": { "add": 4 }, "lift": { "input": { "orders/placed": "changed" }, "output": {} } }] }
            """, #"{"type":"orders/placed","payload":{"number":1}}"#)
        #expect(run.actions == [#"orders/placed {"number":5}"#])
        #expect(run.reports == [])
        #expect(run.counts.refusedOutputs == 0)
    }

    @Test func `an action changed to what the instance may not emit stops there, is reported and counted`()
        async throws
    {
        let run = try await run(
            configuration(), #"{"type":"work/leak"}"#, #"{"type":"work/leak"}"#, work("pass"))
        #expect(run.actions == [#"work/pass {"number":1}"#])
        #expect(run.counts.refusedOutputs == 2)
        #expect(
            run.reports.filter { $0.contains("may not") } == [
                "a: may not emit work/secret: its plugin.json does not declare it in \"emits\"; name it in \"allow\""
            ])
    }

    @Test func `a stopped action reaches nobody, and is counted`() async throws {
        let run = try await run(configuration(), work("stop", 7), work("pass", 8))
        #expect(run.actions == [#"work/stopped {"number":7}"#, #"work/pass {"number":8}"#])
        #expect(run.state == ["a": ["reduced": ["pass 8"]], "b": ["reduced": ["pass 8"]]])
        #expect(run.counts.stoppedActions == 1)
        #expect(run.counts.actions == 2)
        #expect(run.summary.lines == 2)
    }

    @Test func `a delayed action keeps the run open and goes on after the instance`() async throws {
        let run = try await run(configuration(), work("later", 1))
        #expect(run.actions == [#"work/later {"number":1}"#])
        #expect(run.state == ["a": ["reduced": ["later 1"]], "b": ["reduced": ["later 1"]]])
        #expect(run.counts.stoppedActions == 0)
    }

    @Test func `an action that is still kept when the run ends counts as stopped`() async throws {
        let run = try await run(configuration(), work("keep"))
        #expect(run.actions == [])
        #expect(run.counts.stoppedActions == 1)
    }

    @Test func `called twice it goes on twice, the second time in its turn`() async throws {
        let run = try await run(configuration(), work("twice", 1))
        // a passes it on to b, which does the same; then come the second passes, each after its instance.
        #expect(
            run.actions == [
                #"work/twice {"number":1}"#, #"work/changed {"number":1}"#, #"work/changed {"number":11}"#,
            ])
        #expect(run.counts.stoppedActions == 0)
    }

    @Test
    func
        `an action of its own changes the state before the action in hand goes on, and is seen by nobody else`()
        async throws
    {
        let run = try await run(configuration(), work("note", 5), work("note", 5))
        // Each numbers by what it alone has reduced. It needs no permission, and comes to no other instance.
        #expect(
            run.actions == [
                #"work/noted {"number":5}"#, #"work/noted {"number":5}"#, #"work/note {"number":5}"#,
                #"work/noted {"number":7}"#, #"work/noted {"number":7}"#, #"work/note {"number":5}"#,
            ])
        let reduced: Value = ["reduced": ["noted 5", "note 5", "noted 7", "note 5"]]
        #expect(run.state == ["a": reduced, "b": reduced])
        #expect(run.counts.refusedOutputs == 0)
        #expect(run.counts.actions == 6)
        #expect(run.reports.first == #"b: ["noted 5", "note 5"]"#)
    }

    @Test func `without a name of the lift an action of its own is shown under that of the instance`()
        async throws
    {
        let run = try await run(
            """
            { "directory": ".", "plugins": [{ "id": "a", "library": "libInterceptorPlugin.so",
              "lift": { "input": { "orders/placed": "note" }, "output": {} } }] }
            """, #"{"type":"orders/placed","payload":{"number":1}}"#)
        #expect(run.actions == [#"a/noted {"number":1}"#, #"orders/placed {"number":1}"#])
    }

    @Test func `a payload that does not fit passes by, and is reported once`() async throws {
        let run = try await run(
            #"{ "directory": ".", "plugins": [{ "id": "interceptor" }] }"#,
            #"{"type":"interceptor/stop","payload":{"number":"x"}}"#)
        #expect(run.actions == [#"interceptor/stop {"number":"x"}"#])
        #expect(run.reports.count == 1)
        #expect(run.reports.first?.contains("the payload does not fit") == true)
        #expect(run.counts.stoppedActions == 0)
    }

    @Test func `an instance that does not hear a type is not asked about it`() async throws {
        let run = try await run(configuration(), #"{"type":"other/stop","payload":{"number":1}}"#)
        #expect(run.actions == [#"other/stop {"number":1}"#])
    }

    @Test func `a journal has an action that was delayed as soon as it is done`() async throws {
        let entries = """
            { "id": "a", "library": "libInterceptorPlugin.so", "lift": { "input": "work/", "output": "work/" } },
            { "id": "counter", "lift": { "input": { "work/keep": "increment" } } }
            """
        try await TestThread.value {
            let folder = try TemporaryFolder()
            let host = try DurableHost(
                entries, libraries: ["CounterPlugin", "InterceptorPlugin"], in: folder)
            host.host.dispatch(AnyAction("work/keep", payload: ["number": 7]), from: .here())
            host.host.dispatch(AnyAction(HostActions.closeGate, payload: "a"), from: .here())
            #expect(host.actions == [#"host/gate/close "a""#, #"work/keep {"number":7}"#])
            let left = try host.crash()
            let next = try DurableHost(
                entries, libraries: ["CounterPlugin", "InterceptorPlugin"], in: left)
            #expect(try next.state["counter"] == ["count": 1])
        }
    }

    @Test func `what is emitted in place of an action follows from what that followed from`() async throws {
        let entries = """
            { "id": "a", "library": "libInterceptorPlugin.so", "lift": { "input": "work/", "output": "work/" } },
            { "id": "b", "library": "libInterceptorPlugin.so", "lift": { "input": { "work/stopped": "stop" },
              "output": "late/" } }
            """
        let lines = [work("stop", 7), work("pass", 8)]
        try await TestThread.value {
            let folder = try TemporaryFolder()
            let host = try DurableHost(entries, libraries: ["InterceptorPlugin"], in: folder)
            try host.run(lines[0], lines[1])
            try host.host.closeJournal()
            let cursor = try JournalReader(folder: folder("journal")).wholeRecords(from: 1)
            var causes: [JournalCause] = []
            while case .record(let record)? = try cursor.next() { causes.append(record.cause) }
            // The input is stopped, and so is what is emitted in its place.
            #expect(
                host.actions == [#"late/stopped {"number":7}"#, #"work/pass {"number":8}"#])
            #expect(causes == [.interception(of: 1), .input(2)])
        }
    }

    @Test
    func `what is emitted in place of an action that was passed on once more follows from the input too`()
        async throws
    {
        let entries = """
            { "id": "a", "library": "libInterceptorPlugin.so", "lift": { "input": "work/", "output": "work/" } },
            { "id": "b", "library": "libInterceptorPlugin.so", "lift": { "input": { "work/changed": "stop" },
              "output": "late/" } }
            """
        let line = work("twice", 7)
        try await TestThread.value {
            let folder = try TemporaryFolder()
            let host = try DurableHost(entries, libraries: ["InterceptorPlugin"], in: folder)
            try host.run(line)
            try host.host.closeJournal()
            let cursor = try JournalReader(folder: folder("journal")).wholeRecords(from: 1)
            var causes: [JournalCause] = []
            while case .record(let record)? = try cursor.next() { causes.append(record.cause) }
            #expect(host.actions == [#"work/twice {"number":7}"#, #"late/stopped {"number":7}"#])
            #expect(causes == [.input(1), .interception(of: 1)])
        }
    }

    // MARK: - Gates and the host's own actions

    @Test func `a closed gate covers the interceptor`() async throws {
        let run = try await run(configuration(#", "gate": "bypass""#), work("change", 5), work("pass"))
        // Only b is asked: it changes 5 to 15, and the first one keeps out of everything.
        #expect(run.actions == [#"work/changed {"number":15}"#, #"work/pass {"number":1}"#])
        #expect(run.state["a"] == ["reduced": []])
    }

    @Test func `a control action moves the gate first and always reaches the interceptor`() async throws {
        let gate = #", "gate": { "control": { "type": "work/pass", "at": "/on" }, "default": "bypass" }"#
        let run = try await run(
            configuration(gate), work("change", 1), #"{"type":"work/pass","payload":{"on":true,"number":1}}"#,
            work("change", 1))
        #expect(
            run.actions == [
                #"work/changed {"number":11}"#, #"work/pass {"on":true,"number":1}"#,
                #"work/changed {"number":12}"#,
            ])
        #expect(run.reports.contains("a: gate active"))
        #expect(run.reports.contains("a: 0 before, 1 after"))
    }

    @Test func `an action in the hands of an interceptor passes after its gate has closed`() async throws {
        let run = try await run(
            configuration("", allowHost), work("keep", 9), #"{"type":"host/gate/close","payload":"a"}"#,
            work("change", 1))
        #expect(
            run.actions == [
                #"host/gate/close "a""#, #"work/changed {"number":11}"#,
            ])
        // b, which comes after, keeps it in turn.
        #expect(run.counts.stoppedActions == 1)
    }

    @Test func `an interceptor's gate moves by an action that only a later interceptor hears and stops`()
        async throws
    {
        let control = #"{ "type": "work/stop", "at": "/number" }"#
        let run = try await run(
            """
            { "directory": ".", "plugins": [
              { "id": "a", "library": "libInterceptorPlugin.so", "settings": { "add": 1 },
                "lift": { "input": { "work/pass": "pass" }, "output": "work/" },
                "gate": { "control": \(control), "turnOn": 1, "turnOff": 7 } },
              { "id": "b", "library": "libInterceptorPlugin.so", "settings": { "add": 10 },
                "lift": { "input": "work/", "output": "work/" } }] }
            """, work("pass", 1), work("stop", 7), work("pass", 2))
        #expect(run.state == ["a": ["reduced": ["pass 1"]], "b": ["reduced": ["pass 1", "pass 2"]]])
    }

    /// Hears everything and stops it.
    private struct Wall: InterceptingPlugin {
        typealias Action = AnyAction
        static func middleware() -> Reader { .doNothing() }
        static func interceptor(_ context: Context) -> AnyInterceptor<AnyAction, NoState> {
            AnyInterceptor { _, _, _, _, _ in }
        }
    }

    @Test func `the host's own actions are never intercepted`() throws {
        let actions = Mutex<[String]>([])
        let reporter = Reporter { Issue.record("\($0)") }
        let wall = LinkedPlugin(
            entry: InstanceConfiguration(id: "wall"),
            manifest: PluginManifest(
                id: "wall", version: try #require(SemanticVersion("1.0.0")), summary: "", principal: "Wall",
                consumes: ["*"], permissions: ["intercept"]),
            exports: PluginEntry.exports(of: Wall.self))
        let assembly = try Assembly(
            linking: [wall],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { reporter.send($0) }))
        let host = Host(assembly, reports: reporter) { dispatched in
            let action = dispatched.action; actions.withLock { $0.append(action.type.name) }
        }
        let send = { (type: ActionType, payload: Value) in
            host.dispatch(AnyAction(type, payload: payload), from: .here())
        }
        send("work/started", true)
        send(HostActions.mergeState, ["a": 1])
        send(HostActions.closeGate, "wall")
        send("work/started", true)
        #expect(actions.withLock { $0 } == ["host/state/merge", "host/gate/close", "work/started"])
        #expect(try host.snapshot() == ["a": 1])
        #expect(host.counts.stoppedActions == 1)
    }
}
