// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime

/// How a host goes on where the one before has ended.
@Suite(.timeLimit(.minutes(10))) struct RecoveryTests {
    private let counter = #"{ "id": "counter", "library": "libCounterPlugin.so" }"#
    private let up = #"{"type":"counter/increment"}"#

    private func counter(in folder: TemporaryFolder, journal: String = "{}") throws -> DurableHost {
        try DurableHost(counter, libraries: ["CounterPlugin"], in: folder, journal: journal)
    }

    // MARK: - The state

    @Test(arguments: ["strict", "relaxed"])
    func `the state after a crash is the one before`(mode: String) async throws {
        try await TestThread.value {
            let journal = #"{ "mode": "\#(mode)" }"#
            let first = try counter(in: TemporaryFolder(), journal: journal)
            try first.run(up, up, #"{"type":"counter/increment","payload":{"by":5}}"#)
            let second = try counter(in: first.crash(), journal: journal)
            #expect(try second.state == ["counter": ["count": 7]])
            #expect(second.recovery.replayed == 3)
            #expect(second.actions.isEmpty)
            try second.run(up)
            #expect(try counter(in: second.crash(), journal: journal).state == ["counter": ["count": 8]])
        }
    }

    @Test func `after a good end nothing is gone over once more`() async throws {
        try await TestThread.value {
            let folder = try TemporaryFolder()
            let first = try counter(in: folder)
            try first.run(up, up)
            try first.host.closeJournal()
            let second = try counter(in: first.leave())
            #expect(try second.state == ["counter": ["count": 2]])
            #expect(second.recovery.replayed == 0)
            #expect(second.recovery.summary == "resumes after action 2")
        }
    }

    @Test func `what was gone over once is not gone over again at the next start`() async throws {
        try await TestThread.value {
            let first = try counter(in: TemporaryFolder())
            try first.run(up, up)
            let second = try counter(in: first.crash())
            #expect(second.recovery.replayed == 2)
            try second.host.closeJournal()
            #expect(try counter(in: second.leave()).recovery.replayed == 0)
        }
    }

    @Test func `what was accepted and not done is dispatched, once`() async throws {
        try await TestThread.value {
            let first = try counter(in: TemporaryFolder())
            try first.run(up)
            let source = ActionSource(file: "orders", function: "", line: 9, info: nil)
            _ = try first.journal.accept(AnyAction(ActionType("counter/increment")), from: source)
            let second = try counter(in: first.crash())
            #expect(try second.state == ["counter": ["count": 1]])
            try second.run()
            #expect(second.actions == ["counter/increment"])
            #expect(try second.state == ["counter": ["count": 2]])
            let third = try counter(in: second.crash())
            try third.run()
            #expect(third.actions.isEmpty)
            #expect(try third.state == ["counter": ["count": 2]])
        }
    }

    @Test func `gates stand where they stood, whether actions or the state move them`() async throws {
        try await TestThread.value {
            let plugins = """
                { "id": "counter", "library": "libCounterPlugin.so" },
                { "id": "other", "library": "libCounterPlugin.so", "lift": { "input": "counter/" },
                  "gate": { "control": { "type": "shop/gate", "at": "/open" }, "turnOn": true, "turnOff": false,
                            "default": "bypass" } },
                { "id": "third", "library": "libCounterPlugin.so", "lift": { "input": "counter/" },
                  "gate": { "state": "/open" } }
                """
            let make = { try DurableHost(plugins, libraries: ["CounterPlugin"], in: $0) }
            let first = try make(TemporaryFolder())
            try first.run(
                up, #"{"type":"shop/gate","payload":{"open":true}}"#, up,
                #"{"type":"shop/gate","payload":{"open":false}}"#, up)
            let source = ActionSource(file: "test", function: "", line: 1, info: nil)
            first.host.dispatch(AnyAction(HostActions.mergeState, payload: ["open": true]), from: source)
            first.host.dispatch(AnyAction(ActionType("counter/increment")), from: source)
            let before = try first.state
            #expect(
                before == [
                    "counter": ["count": 4], "other": ["count": 1], "third": ["count": 1], "open": true,
                ])
            let second = try make(first.crash())
            #expect(try second.state == before)
            try second.run(up)
            #expect(
                try second.state == [
                    "counter": ["count": 5], "other": ["count": 1], "third": ["count": 2], "open": true,
                ])
        }
    }

    @Test func `what interceptors have changed, stopped and applied comes back without asking them`()
        async throws
    {
        try await TestThread.value {
            let plugins = """
                { "id": "a", "library": "libInterceptorPlugin.so", "settings": { "add": 1 },
                  "lift": { "input": "work/", "output": "work/" } }
                """
            let make = { try DurableHost(plugins, libraries: ["InterceptorPlugin"], in: $0) }
            let work = { (name: String, number: Int) in
                #"{"type":"work/\#(name)","payload":{"number":\#(number)}}"#
            }
            let first = try make(TemporaryFolder())
            try first.run(work("pass", 1), work("change", 2), work("stop", 3), work("note", 4))
            let before = try first.state
            let second = try make(first.crash())
            #expect(try second.state == before)
            #expect(second.actions.isEmpty)
            try second.run()
            #expect(second.actions.isEmpty)
        }
    }

    // MARK: - Effects

    private let timed = #"{ "id": "timed", "library": "libTimedPlugin.so" }"#

    @Test func `an input that runs again calls what it starts by the same names`() async throws {
        try await TestThread.value {
            let make = { try DurableHost(timed, libraries: ["TimedPlugin"], in: $0) }
            let first = try make(TemporaryFolder())
            let source = ActionSource(file: "orders", function: "", line: 1, info: nil)
            let name = AnyAction(ActionType("timed/name"), payload: 2)
            let cause = try first.journal.accept(name, from: source)
            let crashed = try first.crash()
            first.host.dispatch(name, from: source.caused(by: cause))
            let names = first.actions.filter { $0.hasPrefix("timed/named") }
            #expect(names.count == 2)
            #expect(Set(names).count == 2)
            let second = try make(crashed)
            // Something else comes first.
            second.host.dispatch(AnyAction(ActionType("timed/name"), payload: 1), from: source)
            let others = second.actions.filter { $0.hasPrefix("timed/named") }
            try second.run()
            #expect(second.actions.filter { $0.hasPrefix("timed/named") } == others + names)
            #expect(!names.contains(others[0]))
        }
    }

    @Test func `an effect that is told is told until that is kept`() async throws {
        try await TestThread.value {
            let make = { try DurableHost(timed, libraries: ["TimedPlugin"], in: $0) }
            let first = try make(TemporaryFolder())
            let source = ActionSource(file: "orders", function: "", line: 1, info: nil)
            first.host.dispatch(AnyAction(ActionType("timed/watch")), from: source)
            let second = try make(first.crash())
            #expect(second.recovery.summary?.hasSuffix(", 1 interrupted") == true)
            let again = try second.leave()
            try second.run()
            let told = second.actions
            #expect(told.count == 1)
            #expect(told[0].hasPrefix("host/effect/interrupted "))
            #expect(told[0].hasSuffix(#"-1-1.0-timed","instance":"timed","action":1}"#))
            let third = try make(second.crash())
            try third.run()
            #expect(third.actions.isEmpty)
            let fourth = try make(again)
            try fourth.run()
            #expect(fourth.actions == told)
        }
    }

    // MARK: - Writers

    @Test(arguments: ["strict", "relaxed"])
    func `what a writer names is taken once, also after a crash`(mode: String) async throws {
        try await TestThread.value {
            let journal = #"{ "mode": "\#(mode)" }"#
            let named = { (id: String) in #"{"type":"counter/increment","meta":{"id":"\#(id)"}}"# }
            let first = try counter(in: TemporaryFolder(), journal: journal)
            try first.run(named("a"), named("b"), named("a"))
            #expect(try first.state == ["counter": ["count": 2]])
            let second = try counter(in: first.crash(), journal: journal)
            try second.run(named("b"), named("c"), up, up)
            #expect(try second.state == ["counter": ["count": 5]])
        }
    }

    // MARK: - What is broken

    private let one = #"{ "id": "m", "library": "libMigrantOnePlugin.so" }"#
    private let two = #"{ "id": "m", "library": "libMigrantTwoPlugin.so" }"#
    private let add = #"{"type":"m/add","payload":3}"#
    private let planThrow = #"{"type":"m/plan","payload":{"deed":"throw"}}"#

    @Test func `a state that no library takes is kept until one does`() async throws {
        try await TestThread.value {
            let first = try DurableHost(one, libraries: ["MigrantOnePlugin"], in: TemporaryFolder())
            try first.run(planThrow)
            try first.run(add)
            try first.host.closeJournal()
            let second = try DurableHost(
                two + "," + counter, libraries: ["MigrantTwoPlugin", "CounterPlugin"], in: first.leave())
            #expect(second.host.instanceIDs == ["counter"])
            #expect(try second.state["m"] == ["total": 3, "deed": "throw"])
            #expect(second.diagnostics.count == 1)
            #expect(
                second.diagnostics[0].contains(
                    "the state is kept as it is, and the instance is left out until a library comes that takes it over"
                ))
            try second.run(up)
            try second.host.closeJournal()
            let third = try DurableHost(
                one + "," + counter, libraries: ["MigrantOnePlugin", "CounterPlugin"], in: second.leave())
            #expect(
                try third.state == ["m": ["total": 3, "deed": "throw"], "counter": ["count": 1]])
        }
    }

    @Test func `a damaged part that is needed keeps the host from starting, unless the loss is accepted`()
        async throws
    {
        try await TestThread.value {
            let first = try counter(in: TemporaryFolder())
            try first.run(up, up)
            let folder = try first.crash()
            do {
                let connection = try SQLiteConnection(
                    path: folder("journal/journal.sqlite"), .writing, system: nil)
                try connection.execute("UPDATE batch SET content = zeroblob(20)")
            }
            let failure = #expect(throws: JournalFailure.self) { try counter(in: folder) }
            #expect(failure?.description.contains("of the journal cannot be read") == true)
            let second = try DurableHost(
                counter, libraries: ["CounterPlugin"], in: folder, acceptsLoss: true)
            #expect(second.diagnostics.contains { $0.contains("the host continues without its content") })
        }
    }
}
