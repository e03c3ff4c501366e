// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What becomes of an instance whose library is in quarantine: its slice stands, and what it misses is counted.
@Suite(.timeLimit(.minutes(10))) struct QuarantineTests {
    private let counter = #"{ "id": "counter", "library": "libCounterPlugin.so" }"#
    private let up = #"{"type":"counter/increment"}"#

    /// A host with a counter, which may be in quarantine, and the entries of others.
    private func host(
        _ others: String = "", libraries: [String] = [], in folder: TemporaryFolder,
        quarantine: Set<String> = [], gate: String? = nil
    ) throws -> DurableHost {
        let entry =
            #"{ "id": "counter", "library": "libCounterPlugin.so"\#(gate.map { ", \"gate\": \($0)" } ?? "") }"#
        return try DurableHost(
            entry + others, libraries: ["CounterPlugin"] + libraries, in: folder,
            quarantine: Dictionary(uniqueKeysWithValues: quarantine.map { ($0, "it has trapped") }))
    }

    /// Where the counter stands.
    private func standing(_ host: DurableHost) -> Standing? {
        host.host.store.generation?.instances.first { $0.id == "counter" }?.standing?.value
    }

    @Test func `the slice stands as it was left, through a crash and after release`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            try first.run(up, up, up)
            try first.host.closeJournal()
            let second = try host(in: first.leave(), quarantine: ["counter"])
            #expect(try second.state == ["counter": ["count": 3]])
            try second.run(up, up)
            #expect(try second.state == ["counter": ["count": 3]])
            #expect(standing(second)?.words(keepsState: true) == "stands at action 3, 2 missed")
            // The tail is gone over once more.
            let third = try host(in: second.crash(), quarantine: ["counter"])
            #expect(third.recovery.replayed == 2)
            #expect(try third.state == ["counter": ["count": 3]])
            #expect(standing(third) == Standing(at: 3, missed: 2, open: [4...5]))
            try third.host.closeJournal()
            let fourth = try host(in: third.leave())
            #expect(try fourth.state == ["counter": ["count": 3]])
            #expect(
                fourth.warnings == [
                    "counter: resumes from action 3 and skips 2 that it missed in quarantine"
                ])
            try fourth.run(up)
            #expect(try fourth.state == ["counter": ["count": 4]])
        }
    }

    @Test func `nothing of the library is loaded`() async throws {
        try await TestThread.value {
            let host = try host(in: TemporaryFolder(), quarantine: ["counter"])
            #expect(host.host.assembler?.cache.mappedCount == 0)
            try host.run(up)
            #expect(standing(host)?.missed == 1)
            #expect(try host.state == [:])
        }
    }

    @Test func `control actions go on moving the gate, which decides about what is missed`() async throws {
        try await TestThread.value {
            let gate = #"{ "control": { "type": "on" } }"#
            let host = try host(in: TemporaryFolder(), quarantine: ["counter"], gate: gate)
            let close = #"{"type":"on","payload":false}"#
            let open = #"{"type":"on","payload":true}"#
            try host.run(up, up, close, up, up, up, open, up)
            #expect(standing(host) == Standing(at: 0, missed: 3, open: [1...2, 8...8]))
            // The same comes out when it is gone over once more.
            let again = try self.host(in: host.crash(), quarantine: ["counter"], gate: gate)
            #expect(standing(again) == Standing(at: 0, missed: 3, open: [1...2, 8...8]))
        }
    }

    @Test func `nobody opens the gate by hand`() async throws {
        try await TestThread.value {
            let host = try host(in: TemporaryFolder(), quarantine: ["counter"], gate: #""bypass""#)
            try host.run(#"{"type":"host/gate/open","payload":"counter"}"#, up)
            #expect(standing(host)?.missed == 0)
        }
    }

    @Test func `a gate that follows a slice that stands is named, and sees it as it is`() async throws {
        try await TestThread.value {
            let others = """
                , { "id": "other", "library": "libCounterPlugin.so", "gate": { "state": "/counter/count" } }
                """
            let first = try host(others, in: TemporaryFolder())
            try first.run(up)
            try first.host.closeJournal()
            let second = try host(others, in: first.leave(), quarantine: ["counter"])
            #expect(
                second.warnings == [
                    "other: its gate follows /counter/count, and counter, which keeps that, is in quarantine and stands at action 1"
                ])
        }
    }

    @Test func `what only instances in quarantine would have heard is a dead letter, once`() async throws {
        try await TestThread.value {
            let others = """
                , { "id": "twin", "library": "libCounterPlugin.so", "lift": { "input": { "counter/reset": "reset" } } },
                  { "id": "third", "library": "libCounterPlugin.so", "lift": { "input": "counter/" } }
                """
            let host = try host(
                others, in: TemporaryFolder(), quarantine: ["counter", "third"])
            try host.run(up, #"{"type":"counter/reset"}"#)
            let letters = host.host.store.dependencies.letters.list()
            #expect(letters.map(\.kind) == [.quarantined])
            #expect(letters.map(\.instance) == ["counter"])
            #expect(letters.map(\.sequence) == [1])
            #expect(letters.map { String(decoding: $0.action, as: UTF8.self) } == [up])
            #expect(
                letters.map(\.reason) == [
                    "only counter, whose plugin counter is in quarantine, would have heard it; let the plugin out with gatehouse ctl release counter, then dispatch the letter again"
                ])
            // What is gone over once more has its letter already.
            let again = try self.host(others, in: host.crash(), quarantine: ["counter", "third"])
            #expect(again.host.store.dependencies.letters.list().map(\.id) == [1])
        }
    }

    @Test func `an interceptor in quarantine stops what its manifest says to stop, and keeps it`()
        async throws
    {
        try await TestThread.value {
            let host = try DurableHost(
                #"{ "id": "interceptor", "library": "libInterceptorPlugin.so" }, \#(counter)"#,
                libraries: ["CounterPlugin", "InterceptorPlugin"], in: TemporaryFolder(),
                quarantine: ["interceptor": "it has trapped"])
            try host.run(#"{"type":"interceptor/pass"}"#, up)
            #expect(host.actions == ["counter/increment"])
            let letters = host.host.store.dependencies.letters.list()
            #expect(letters.map(\.type) == ["interceptor/pass"])
            #expect(
                letters.map(\.reason) == [
                    "interceptor, whose plugin interceptor is in quarantine, would have decided about it, and its plugin.json says to stop what it cannot decide about; let the plugin out with gatehouse ctl release interceptor, then dispatch the letter again"
                ])
        }
    }

    @Test func `a reducer that does not come through the past stands at the action before`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            try first.run(up, up, up, up, up)
            let fallen = FallenInstance(id: "counter", at: 3, reason: "died by SIGILL")
            let second = try DurableHost(
                counter, libraries: ["CounterPlugin"], in: first.crash(),
                quarantine: ["counter": "it has trapped"], fallen: [fallen])
            #expect(try second.state == ["counter": ["count": 3]])
            #expect(standing(second) == Standing(at: 3, missed: 2, open: [4...5]))
        }
    }

    @Test func `what is in quarantine in the past stands there too`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            try first.run(up, up)
            let second = try host(in: first.crash(), quarantine: ["counter"])
            try second.run(up)
            let third = try host(in: second.crash())
            #expect(try third.state == ["counter": ["count": 2]])
            try third.run(up)
            #expect(try host(in: third.crash()).state == ["counter": ["count": 3]])
        }
    }

    @Test func `missed actions are told of before they leave the journal`() {
        #expect(
            HostJournal.removal(of: 12_345, missedBy: ["counter"]).sentence
                == #"the journal is about to remove actions up to 12,345, as its limits say; those that counter missed in quarantine are then lost: let it catch up with gatehouse ctl release --catch-up, or raise "keep""#
        )
    }

    @Test func `a letter that a crash has kept without its action is not told again`() {
        let letter = DeadLetter(
            .quarantined, type: "a", action: [1], from: nil, instance: "x", sequence: 7, reason: "")
        var earlier = letter
        earlier.id = 3
        let letters = DeadLetters()
        letters.keep(in: NoStore(), behind: [earlier])
        letters.add(letter)
        #expect(letters.list().map(\.id) == [3])
        letters.add(
            DeadLetter(
                .quarantined, type: "a", action: [1], from: nil, instance: "x", sequence: 8, reason: ""))
        #expect(letters.list().map(\.id) == [3, 4])
    }
}

/// Keeps nothing.
private struct NoStore: DeadLetterStore {
    func bury(_ letter: DeadLetter) {}
    func remove(deadLetters: [Int64]) {}
}
