// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime

/// What becomes of what an instance misses whose worker was given up while nobody knows why it died.
@Suite(.timeLimit(.minutes(10))) struct GivenUpWorkerTests {
    private static let counter = #"{ "id": "a", "library": "libCounterPlugin.so", "placement": "worker" }"#
    private static let sentence =
        "a hears nothing any more: no process can be started; change its entry, such as its placement, or its library, or restart the host, and it runs again without what it has missed"

    /// Counts once.
    private static func count(_ host: DurableHost) throws {
        host.host.dispatch(AnyAction(ActionType("a/increment")), from: .here())
        try host.awaitWorkers()
    }

    /// A host whose instance has counted once and missed three more.
    private static func stopped() throws -> DurableHost {
        let host = try DurableHost(counter, libraries: ["CounterPlugin"], in: TemporaryFolder())
        try count(host)
        host.host.turn { $0.instances.first?.worker?.giveUp("no process can be started") }
        for _ in 0..<3 { try count(host) }
        #expect(try host.state["a"] == ["count": 1])
        #expect(letters(of: host) == Array(repeating: sentence, count: 3))
        return host
    }

    /// What the journal of a host that died has for the state of the instance at the last reload, from which the next one goes on even where
    /// no snapshot was taken since.
    private static func recorded(_ left: TemporaryFolder) throws -> Value? {
        try JournalReader(folder: left("journal")).generations().records.last?.change.made["a"]?.value
    }

    /// Why what was missed is in the dead letters.
    private static func letters(of host: DurableHost) -> [String] {
        host.host.store.dependencies.letters.list().map(\.reason)
    }

    @Test(arguments: [
        #"{ "id": "a", "library": "libCounterPlugin.so", "placement": "worker", "settings": { "step": 2 } }"#,
        #"{ "id": "a", "library": "libCounterPlugin.so", "settings": { "step": 2 } }"#,
    ])
    func `a reload goes on without what was missed, and so does a crash after it`(entry: String) async throws
    {
        try await TestThread.value {
            let first = try Self.stopped()
            #expect(try first.reload(entry).isApplied)
            #expect(try first.state["a"] == ["count": 1])
            try Self.count(first)
            #expect(try first.state["a"] == ["count": 3])
            #expect(Self.letters(of: first).count == 3)
            let left = try first.crash()
            try first.end()
            #expect(try Self.recorded(left) == ["count": 1])
            let second = try DurableHost(entry, libraries: ["CounterPlugin"], in: left)
            #expect(try second.state["a"] == ["count": 3])
            try second.end()
        }
    }

    @Test func `in quarantine its slice stands without what was missed, also after a crash`() async throws {
        try await TestThread.value {
            let first = try Self.stopped()
            let quarantine = ["a": "it has ended its worker too often"]
            #expect(try first.reload(Self.counter, quarantine: quarantine).isApplied)
            try Self.count(first)
            let before = try LawfulHost.Standing(of: first)
            #expect(before.state == ["a": ["count": 1]])
            #expect(before.standings["a"] == "stands at action 1, 4 missed")
            let left = try first.crash()
            try first.end()
            #expect(try Self.recorded(left) == ["count": 1])
            let second = try DurableHost(
                Self.counter, libraries: ["CounterPlugin"], in: left, quarantine: quarantine)
            #expect(try LawfulHost.Standing(of: second) == before)
            try second.end()
        }
    }

    @Test(arguments: [false, true])
    func `a restart goes on without what was missed, and a crash with what no snapshot has`(isCrash: Bool)
        async throws
    {
        try await TestThread.value {
            let first = try Self.stopped()
            let left = isCrash ? try first.crash() : nil
            try first.end()
            let second = try DurableHost(
                Self.counter, libraries: ["CounterPlugin"], in: left ?? first.leave())
            #expect(try second.state["a"] == ["count": isCrash ? 4 : 1])
            try Self.count(second)
            #expect(try second.state["a"] == ["count": isCrash ? 5 : 2])
            #expect(Self.letters(of: second).count == 3)
            try second.end()
        }
    }
}
