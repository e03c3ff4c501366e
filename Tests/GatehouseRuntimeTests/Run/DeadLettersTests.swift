// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct DeadLettersTests {
    /// Remembers what it is told to keep and to forget.
    private final class Store: DeadLetterStore {
        let calls = Mutex<[String]>([])

        func bury(_ letter: DeadLetter) { calls.withLock { $0.append("bury \(letter.id) \(letter.type)") } }

        func remove(deadLetters: [Int64]) { calls.withLock { $0.append("remove \(deadLetters)") } }
    }

    /// The time as a test sets it, in seconds since 1970.
    private final class Clock: Sendable {
        private let time = Mutex(0.0)
        var now: Double {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    /// A letter about an action that came from a line of input.
    private func letter(_ type: String, action: [UInt8] = []) -> DeadLetter {
        DeadLetter(
            .setAside, type: type, action: action,
            from: ActionSource(file: "in", function: "", line: 3, info: nil), instance: nil, time: 0,
            reason: "it has ended the process twice")
    }

    @Test
    func `letters are numbered from 1 and listed in that order, the newest of them if not all are wanted`() {
        let letters = DeadLetters()
        for type in ["a", "b", "c"] { letters.add(letter(type)) }
        #expect(letters.list().map(\.id) == [1, 2, 3])
        #expect(letters.list(atMost: 2).map(\.type) == ["b", "c"])
        #expect(letters.list(.misfit).isEmpty)
        #expect(letters[2]?.type == "b")
        #expect(letters.remove(2))
        #expect(!letters.remove(2))
        #expect(letters.list().map(\.id) == [1, 3])
    }

    @Test func `of more than a thousand the oldest go, and are counted`() {
        let letters = DeadLetters()
        for _ in 0..<1_003 { letters.add(letter("a")) }
        #expect(letters.counts == (1_000, 3))
        #expect(letters.list().first?.id == 4)
    }

    @Test
    func `what somebody asks to keep has bounds of its own, and takes no room from what came to nothing`()
        throws
    {
        let clock = Clock()
        let letters = DeadLetters { clock.now }
        letters.add(letter("precious"))
        let source = ActionSource(file: "in", function: "", line: 1, info: nil)
        func keep(_ type: String, _ rules: KeepConfiguration, at time: Double = 0) {
            clock.now = time
            letters.keep(
                .gated, AnyAction(ActionType(type)), from: source, instance: "us", reason: "closed",
                by: rules)
        }
        for number in 1...1_500 { keep("a\(number)", KeepConfiguration(count: 1_200)) }
        #expect(letters.list().map(\.type).first == "precious")
        #expect(letters.list(.gated).count == 1_200)
        #expect(letters.counts.forgotten == 300)
        keep("late", KeepConfiguration(age: 60), at: 61)
        #expect(letters.list(.gated).map(\.type) == ["late"])
        for number in 1...10 { keep("b\(number)", KeepConfiguration(bytes: 1_024), at: 61) }
        #expect(letters.list(.gated).map(\.type) == ["b8", "b9", "b10"])
        #expect(letters.list(.setAside).map(\.type) == ["precious"])
    }

    @Test func `what is too old is gone when somebody looks, also what an earlier run has kept`() {
        let clock = Clock()
        let letters = DeadLetters { clock.now }
        let store = Store()
        var old = DeadLetter(
            .gated, type: "old", action: [],
            from: ActionSource(file: "in", function: "", line: 3, info: nil), instance: "us", time: 10,
            reason: "closed")
        old.id = 7
        letters.keep(in: store, behind: [old])
        letters.bound("us", by: KeepConfiguration(age: 60))
        clock.now = 70
        #expect(letters.list().map(\.type) == ["old"])
        clock.now = 71
        #expect(letters.counts == (0, 1))
        #expect(letters[7] == nil)
        #expect(store.calls.withLock { $0 } == ["remove [7]"])
    }

    @Test func `letters that were thrown away leave the oldest its place`() {
        let letters = DeadLetters { 0 }
        for number in 1...300 {
            letters.keep(
                .gated, AnyAction(ActionType("a\(number)")), from: .here(), instance: "us",
                reason: "closed", by: KeepConfiguration(count: 2))
            if number > 1 { letters.remove(Int64(number)) }
        }
        #expect(letters.list().map(\.type) == ["a1"])
        #expect(letters.counts == (1, 0))
    }

    @Test func `all together take no more than 4 MiB`() {
        let letters = DeadLetters()
        for _ in 0..<9 { letters.add(letter("a", action: [UInt8](repeating: 32, count: 1 << 19))) }
        #expect(letters.counts == (7, 2))
    }

    @Test func `an action of more than 1 MiB is not kept with its letter, which says so`() {
        let letters = DeadLetters()
        let text = String(repeating: "x", count: 1 << 20)
        letters.add(
            .misfit, AnyAction("a", payload: .string(text)), from: .here(), instance: "i",
            reason: "it does not fit")
        #expect(letters[1]?.action == [])
        #expect(
            letters[1]?.reason
                == "it does not fit; its 1048601 bytes are more than the 1048576 that are kept of an action")
    }

    @Test func `an action of exactly 1 MiB is kept with its letter`() {
        let letters = DeadLetters()
        let text = String(repeating: "x", count: (1 << 20) - #"{"type":"a","payload":""}"#.utf8.count)
        letters.add(
            .misfit, AnyAction("a", payload: .string(text)), from: .here(), instance: "i",
            reason: "it does not fit")
        #expect(letters[1]?.action.count == 1 << 20)
        #expect(letters[1]?.reason == "it does not fit")
    }

    @Test func `a store is told of each letter that comes and goes, and what it had is there again`() {
        let letters = DeadLetters()
        let store = Store()
        letters.add(letter("early"))
        var old = letter("old")
        old.id = 7
        letters.keep(in: store, behind: [old])
        #expect(letters.list().map { "\($0.id) \($0.type)" } == ["7 old", "8 early"])
        letters.add(letter("new"))
        letters.remove(7)
        #expect(store.calls.withLock { $0 } == ["bury 8 early", "bury 9 new", "remove [7]"])
    }

    @Test func `of what earlier runs have left and what came since no more than a thousand stay`() {
        let letters = DeadLetters()
        let store = Store()
        for _ in 0..<2 { letters.add(letter("early")) }
        let old = (1...1_000).map { number in
            var old = letter("old")
            old.id = Int64(number)
            return old
        }
        letters.keep(in: store, behind: old)
        #expect(letters.counts == (1_000, 2))
        #expect(letters.list().first?.id == 3)
        #expect(letters.list().last?.id == 1_002)
        #expect(
            store.calls.withLock { $0 } == ["bury 1001 early", "bury 1002 early", "remove [1, 2]"])
    }

    @Test func `a letter tells where its action came from`() {
        #expect(letter("a").value["source"] == ["input": "in", "line": 3])
        let emitted = DeadLetter(
            .late, type: "b", action: Array(#"{"type":"b"}"#.utf8),
            from: ActionSource(file: "Plugin.swift", function: "f", line: 9, info: "shop"),
            instance: "shop", sequence: 4, time: 1.5, reason: "it came late")
        #expect(
            emitted.value == [
                "id": 0, "time": 1.5, "kind": "late", "reason": "it came late", "type": "b",
                "instance": "shop", "source": ["instance": "shop"], "sequence": 4, "action": ["type": "b"],
            ])
    }
}
