// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime

/// What becomes of effects that had not ended when their process did.
@Suite(.timeLimit(.minutes(10))) struct UnfinishedEffectsTests {
    private let courier = #"{ "id": "courier", "library": "libCourierPlugin.so" }"#
    private let source = ActionSource(file: "orders", function: "", line: 1, info: nil)

    /// A host with couriers, in a folder that another one has left.
    private func host(_ plugins: String? = nil, in folder: TemporaryFolder, _ journal: String = "{}") throws
        -> DurableHost
    {
        try DurableHost(
            plugins ?? courier, libraries: ["CourierPlugin"], in: folder, journal: journal,
            discovery: "ignore")
    }

    /// Sends a delivery.
    private func send(_ parts: Int, _ members: Members = [:], in host: DurableHost, to id: String = "courier")
    {
        var payload: Members = ["id": "a", "parts": Value(parts)]
        for (key, value) in members { payload[key] = value }
        host.host.dispatch(AnyAction(ActionType("\(id)/send"), payload: .object(payload)), from: source)
    }

    /// Lets a part of the delivery arrive.
    private func arrive(_ part: Int, in host: DurableHost, at id: String = "courier") {
        host.host.dispatch(
            AnyAction(ActionType("\(id)/arrive"), payload: ["id": "a", "part": Value(part)]), from: source)
    }

    /// Does what the run before has left, without waiting for an end.
    private func goOn(_ host: DurableHost) -> [String] {
        host.host.admission.finishLeftWork(of: host.host)
        return host.actions
    }

    /// What a part says when it begins.
    private func begun(_ part: Int, _ key: String, attempt: Int, in id: String = "courier") -> String {
        #"\#(id)/begun {"id":"a","part":\#(part),"key":"\#(key)","attempt":\#(attempt)}"#
    }

    /// The key of the first action of a journal.
    private func key(_ host: DurableHost, _ id: String = "courier") -> String {
        "\(host.journal.recorder.name)-1-1.0-\(id)"
    }

    @Test func `what had not ended begins again under its key, and repeats nothing on the spot`()
        async throws
    {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(3, ["tells": true], in: first)
            arrive(2, in: first)
            let key = key(first)
            #expect(
                first.actions == [
                    #"courier/send {"id":"a","parts":3,"tells":true}"#, #"courier/accepted "a""#,
                    begun(1, key, attempt: 1), begun(2, key, attempt: 1),
                    begun(3, key, attempt: 1), #"courier/arrive {"id":"a","part":2}"#,
                    #"courier/arrived {"id":"a","part":2}"#,
                ])
            let second = try host(in: first.crash())
            #expect(second.recovery.summary?.hasSuffix("2 effects begin again") == true)
            #expect(goOn(second) == [begun(1, key, attempt: 2), begun(3, key, attempt: 2)])
            let third = try host(in: second.crash())
            #expect(goOn(third) == [begun(1, key, attempt: 3), begun(3, key, attempt: 3)])
            // What the join says at its end comes once, when the last one has ended.
            arrive(3, in: third)
            arrive(1, in: third)
            #expect(
                third.actions.dropFirst(2) == [
                    #"courier/arrive {"id":"a","part":3}"#, #"courier/arrived {"id":"a","part":3}"#,
                    #"courier/arrive {"id":"a","part":1}"#, #"courier/arrived {"id":"a","part":1}"#,
                    #"courier/delivered "a""#,
                ])
            #expect(goOn(try host(in: third.crash())) == [])
        }
    }

    @Test func `a run that is asked to end leaves what it cancels to the next one`() async throws {
        try await TestThread.value {
            let folder = try TemporaryFolder()
            let first = try host(in: folder)
            send(1, in: first)
            send(1, ["id": "b", "way": "finishing"], in: first)
            first.host.queue.withExclusiveAccess {
                first.host.generation.stop()
                first.host.generation.cancelEffects()
            }
            try first.host.closeJournal()
            let again = goOn(try host(in: first.leave()))
            #expect(again.map { $0.contains(#""attempt":2"#) } == [true, true])
        }
    }

    @Test func `what a token has cancelled has ended`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(2, in: first)
            first.host.dispatch(
                AnyAction(ActionType("courier/recall"), payload: ["id": "a", "parts": 1]), from: source)
            #expect(goOn(try host(in: first.crash())) == [begun(2, key(first), attempt: 2)])
        }
    }

    @Test func `what a gate has cancelled has ended, and so has all beyond a closed gate`()
        async throws
    {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(1, in: first)
            let before = try first.crash()
            first.host.dispatch(
                AnyAction(HostActions.closeGate, payload: "courier"), from: source)
            #expect(goOn(try host(in: first.crash())) == [])
            let closed = #"{ "id": "courier", "library": "libCourierPlugin.so", "gate": "bypass" }"#
            let second = try host(closed, in: before)
            #expect(goOn(second) == [])
            #expect(goOn(try host(in: second.crash())) == [])
        }
    }

    @Test(arguments: ["background", "telling"])
    func `what is in the background, or says so, is told`(way: String) async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(1, ["way": .string(way)], in: first)
            let second = try host(in: first.crash())
            let told =
                #"host/effect/interrupted {"key":"\#(key(first))","instance":"courier","action":1}"#
            #expect(goOn(second) == [told])
            #expect(goOn(try host(in: second.crash())) == [])
        }
    }

    @Test func `nothing becomes of what is to be forgotten, and what is in the background may begin again`()
        async throws
    {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(1, ["way": "forgotten"], in: first)
            #expect(goOn(try host(in: first.crash())) == [])
            let other = try host(in: TemporaryFolder())
            send(1, ["way": "againInBackground"], in: other)
            #expect(goOn(try host(in: other.crash())) == [begun(1, key(other), attempt: 2)])
        }
    }

    // MARK: - When something has changed

    @Test func `a renamed instance takes over, under the key that the effect had`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(1, in: first)
            let renamed = #"""
                { "id": "van", "was": "courier", "library": "libCourierPlugin.so",
                  "lift": { "input": { "courier/*": "*", "van/*": "*" } } }
                """#
            let second = try host(renamed, in: first.crash())
            #expect(goOn(second) == [begun(1, key(first), attempt: 2, in: "van")])
            #expect(
                goOn(try host(renamed, in: second.crash())) == [
                    begun(1, key(first), attempt: 3, in: "van")
                ])
        }
    }

    @Test func `without its instance it is a dead letter, and so it is when that does not hear the action`()
        async throws
    {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(2, in: first)
            let left = { try first.crash() }
            let key = key(first)
            let deaf = #"""
                { "id": "courier", "library": "libCourierPlugin.so",
                  "lift": { "input": { "courier/arrive": "arrive" } } }
                """#
            let cases = [
                (
                    #"{ "id": "van", "library": "libCourierPlugin.so" }"#,
                    Array(
                        repeating:
                            "its effect \(key): it had not ended, and no instance takes over from courier",
                        count: 2)
                ),
                (
                    deaf,
                    ["its effect \(key): courier does not hear courier/send any more; there were 2 of them"]
                ),
            ]
            for (plugins, reasons) in cases {
                let second = try host(plugins, in: left())
                #expect(goOn(second) == [])
                let letters = second.host.store.dependencies.letters.list()
                #expect(letters.map(\.reason) == reasons)
                #expect(letters.allSatisfy { $0.kind == .unfinished && $0.type == "courier/send" })
                #expect(
                    letters.map { String(decoding: $0.action, as: UTF8.self) }
                        == reasons.map { _ in #"{"type":"courier/send","payload":{"id":"a","parts":2}}"# })
                // It has ended by that.
                #expect(goOn(try host(plugins, in: second.crash())) == [])
            }
        }
    }

    @Test func `quarantine keeps it until the library is released`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(1, in: first)
            let second = try DurableHost(
                courier, libraries: ["CourierPlugin"], in: first.crash(), discovery: "ignore",
                quarantine: ["courier": "it has ended the host too often"])
            #expect(goOn(second) == [])
            #expect(goOn(try host(in: second.crash())) == [begun(1, key(first), attempt: 3)])
        }
    }

    @Test func `what an instance leaves that goes is not for one that ran beside it under another id`()
        async throws
    {
        let old = #"{ "id": "old", "library": "libCourierPlugin.so" }"#
        let beside = #"{ "id": "new", "library": "libCourierPlugin.so" }"#
        let new = #"{ "id": "new", "was": "old", "library": "libCourierPlugin.so" }"#
        try await TestThread.value {
            let first = try host(old + "," + beside, in: TemporaryFolder())
            send(1, in: first, to: "old")
            let second = try host(new, in: first.crash())
            #expect(goOn(second) == [])
            #expect(
                second.host.store.dependencies.letters.list().map(\.reason) == [
                    "its effect \(key(first, "old")): it had not ended, and no instance takes over from old"
                ])
        }
    }

    @Test func `what has begun a hundred times is a dead letter`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            send(1, in: first)
            let effects = try first.crash()
            let second = try host(in: effects)
            second.host.queue.withExclusiveAccess {
                let generation = second.host.generation
                generation.inherit(
                    second.recovery.effects.map { effect in
                        var effect = effect
                        effect.attempt = 100
                        return effect
                    })
                generation.beginUnfinished()
            }
            #expect(second.actions == [])
            #expect(
                second.host.store.dependencies.letters.list().map(\.reason) == [
                    "its effect \(key(first)): it was interrupted 100 times, and is not begun again"
                ])
        }
    }

    @Test func `an input that is skipped takes its effects along`() async throws {
        try await TestThread.value {
            let first = try host(in: TemporaryFolder())
            let action = AnyAction(ActionType("courier/send"), payload: ["id": "a", "parts": 1])
            let cause = try first.journal.accept(action, from: source)
            first.host.dispatch(action, from: source.caused(by: cause))
            let second = try host(in: first.crash())
            second.host.queue.withExclusiveAccess {
                second.host.generation.inherit(
                    second.recovery.effects, skipping: [1: "it has ended the host twice"])
                second.host.generation.beginUnfinished()
            }
            #expect(second.actions == [])
            let letter = try #require(second.host.store.dependencies.letters.list().first)
            #expect(letter.kind == .setAside)
            #expect(
                letter.reason
                    == "its effect \(second.recovery.effects[0].key): it has ended the host twice")
        }
    }

    @Test func `it has its own copy of its action, so that retention does not wait for it`() async throws {
        try await TestThread.value {
            let journal = #"{ "snapshotEvery": 1000 }"#
            let first = try host(in: TemporaryFolder(), journal)
            send(1, in: first)
            first.host.queue.withExclusiveAccess { first.host.store.onIdle?() }
            try first.host.closeJournal()
            let folder = try first.leave()
            let reader = try JournalReader(folder: folder("journal"))
            let effects = try #require(try SnapshotTable(reader.connection).newestEffects()).effects
            #expect(effects.map { $0.action?.payload } == [["id": "a", "parts": 1]])
            #expect(effects.map(\.source.file) == ["orders"])
        }
    }
}
