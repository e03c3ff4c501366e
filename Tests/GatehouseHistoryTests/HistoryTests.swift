// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal
@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct HistoryTests {
    /// An order that is billed and sent, and one that is not; the first is paid later.
    private let journal: PastJournal

    init() throws {
        journal = try PastJournal([
            .line(1, "orders/placed", ["id": 7]),
            .by("shop", "shop/billed", .integer(7), .output, of: 1),
            .by("mail", "mail/sent", nil, .output, of: 2),
            .line(2, "orders/placed", ["id": 8]),
            .by("shop", "shop/paid", .integer(7), .effect, of: 1),
            .by("shop", "shop/counted", nil, .own, of: 5),
            .by("shop", "shop/started", nil, .effect, of: 0),
        ])
    }

    @Test func `what an interceptor emitted before it passed an input names that`() {
        let records = [7, nil].map { input in
            JournalRecord(
                sequence: 9, epoch: 1, generation: 1, batchTime: 0, cause: .interception(of: input), file: "",
                line: 0, instance: "limit", time: nil, bytes: [], encodingFailure: nil)
        }
        #expect(records.map(\.origin) == ["interception of input 7 by limit", "interception by limit"])
        #expect(
            records.map { $0.value["cause"] } == [
                ["kind": "interception", "input": 7], ["kind": "interception"],
            ])
    }

    /// The numbers of the actions that a filter lets through.
    private func numbers(_ change: (inout HistoryFilter) -> Void = { _ in }) throws -> [UInt64] {
        var filter = HistoryFilter()
        change(&filter)
        let cursor = try History(folder: journal.folder).entries(filter)
        var numbers: [UInt64] = []
        while case .record(let entry)? = try cursor.next() { numbers.append(entry.sequence) }
        return numbers
    }

    @Test func `actions come in the order in which they reached the reducers, with what led to each`() throws
    {
        let cursor = try History(folder: journal.folder).entries()
        var lines: [String] = []
        while case .record(let entry)? = try cursor.next() {
            lines.append("\(entry.sequence) \(Int(entry.batchTime)) \(entry.type): \(entry.origin)")
        }
        #expect(
            lines == [
                "1 1000 orders/placed: orders.ndjson:1", "2 1001 shop/billed: output of 1 by shop",
                "3 1002 mail/sent: output of 2 by mail", "4 1003 orders/placed: orders.ndjson:2",
                "5 1004 shop/paid: effect of 1 by shop", "6 1005 shop/counted: own change during 5 by shop",
                "7 1006 shop/started: effect by shop",
            ])
    }

    @Test func `after the clock went back moments are found on both sides of it`() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary("journal")
        let times: [Double] = [5_000, 5_010, 5_020, 1_000, 1_010, 5_005]
        let now = Mutex(0.0)
        var options = JournalWriter.Options()
        options.clock = { now.withLock { $0 } }
        let writer = try JournalWriter(folder: folder, options)
        for (place, time) in times.enumerated() {
            now.withLock { $0 = time }
            var batch = JournalBatch(generation: 1, firstSequence: UInt64(place + 1))
            batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
            try writer.commit(batch)
        }
        writer.close()
        func numbers(_ from: Double?, _ to: Double?, last: Int? = nil) throws -> [UInt64] {
            var filter = HistoryFilter()
            filter.from = from.map { .time($0) }
            filter.to = to.map { .time($0) }
            filter.last = last
            let cursor = try History(folder: folder).entries(filter)
            var numbers: [UInt64] = []
            while case .record(let entry)? = try cursor.next() { numbers.append(entry.sequence) }
            return numbers
        }
        #expect(try numbers(5_000, 5_010) == [1, 2, 6])
        #expect(try numbers(5_015, nil) == [3])
        #expect(try numbers(nil, 1_005) == [4])
        #expect(try numbers(1_000, 1_010) == [4, 5])
        #expect(try numbers(1_000, 5_005) == [1, 4, 5, 6])
        #expect(try numbers(1_000, 5_005, last: 2) == [5, 6])
        #expect(try numbers(1_000, 5_005, last: 3) == [4, 5, 6])
        #expect(try numbers(5_010, nil, last: 1) == [3])
        #expect(try numbers(2_000, 3_000) == [])
        #expect(try numbers(6_000, nil) == [])
    }

    @Test func `types, instances, numbers, moments and the newest can be asked for`() throws {
        #expect(try numbers() == [1, 2, 3, 4, 5, 6, 7])
        #expect(try numbers { $0.types = TypePattern("shop/*") } == [2, 5, 6, 7])
        #expect(try numbers { $0.types = TypePattern("orders/placed") } == [1, 4])
        #expect(try numbers { $0.instance = "mail" } == [3])
        #expect(try numbers { ($0.from, $0.to) = (.sequence(3), .sequence(5)) } == [3, 4, 5])
        #expect(try numbers { ($0.from, $0.to) = (.time(1_001), .time(1_003.5)) } == [2, 3, 4])
        #expect(try numbers { $0.from = .time(2_000) } == [])
        #expect(try numbers { $0.to = .time(10) } == [])
        #expect(try numbers { $0.last = 2 } == [6, 7])
        #expect(try numbers { ($0.to, $0.last) = (.sequence(5), 2) } == [4, 5])
        #expect(try numbers { ($0.types, $0.last) = (TypePattern("orders/*"), 1) } == [4])
        #expect(try numbers { $0.last = 100 } == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test(arguments: [
        ("17", HistoryFilter.Bound.sequence(17)), ("1970-01-01T00:16:40Z", .time(1_000)), ("yesterday", nil),
        ("-1", nil),
    ])
    func `a bound is a number or a moment`(text: String, bound: HistoryFilter.Bound?) {
        #expect(HistoryFilter.Bound(text) == bound)
    }

    @Test func `an action is told with all that led to it and all that it led to`() throws {
        let history = try History(folder: journal.folder)
        #expect(try history.causes(of: 2).map(\.sequence) == [1, 2, 3])
        #expect(try history.causes(of: 6).map(\.sequence) == [1, 5, 6])
        #expect(try history.causes(of: 1).map(\.sequence) == [1, 2, 3, 5, 6])
        #expect(try history.causes(of: 4).map(\.sequence) == [4])
        #expect(try history.causes(of: 8).isEmpty)
    }

    @Test func `a tree has each action below the one that led to it`() throws {
        let entries = try History(folder: journal.folder).causes(of: 1)
        #expect(
            CauseTree(entries).lines.map { $0.branches + "\($0.entry.sequence)" } == [
                "1", "├─ 2", "│  └─ 3", "└─ 5", "   └─ 6",
            ])
    }

    @Test func `a cursor goes on with what was written down meanwhile`() throws {
        let cursor = try History(folder: journal.folder).entries(HistoryFilter())
        while try cursor.next() != nil {}
        try PastJournal.write([.line(3, "orders/placed")], to: journal.folder)
        guard case .record(let entry)? = try cursor.next() else {
            Issue.record("nothing came")
            return
        }
        #expect(entry.sequence == 8)
        #expect(entry.epoch == 2)
    }

    @Test func `an action is told to programs with its cause and its source`() throws {
        let history = try History(folder: journal.folder)
        #expect(
            try history.entry(2)?.value == [
                "sequence": 2, "epoch": 1, "generation": 1, "time": 1001.0,
                "cause": ["kind": "output", "of": 1], "source": ["instance": "shop"],
                "action": ["type": "shop/billed", "payload": 7],
            ])
        #expect(try history.entry(4)?.value["source"] == ["input": "orders.ndjson", "line": 2])
        #expect(try history.entry(4)?.value["cause"] == ["kind": "unknown"])
    }

    @Test func `once the first action is removed, the oldest snapshot is the earliest state`() throws {
        #expect(try History(folder: journal.folder).earliestState() == 0)
        let journal = try PastJournal([])
        #expect(try History(folder: journal.folder).earliestState() == 0)
        let rows = (1...6).map { PastJournal.Row.line($0, "orders/placed") }
        let state = SavedState(configured: [:], plain: [:], kept: [:], entries: [:])
        try PastJournal.write(Array(rows[..<2]), to: journal.folder, snapshot: state)
        try PastJournal.write(Array(rows[2..<4]), to: journal.folder, snapshot: state)
        #expect(try History(folder: journal.folder).earliestState() == 0)
        try PastJournal.write(Array(rows[4...]), to: journal.folder, keeping: 2)
        let history = try History(folder: journal.folder)
        #expect(try history.bounds() == 2...6)
        #expect(try history.earliestState() == 2)
    }

    @Test func `a folder without a journal is told with what to do`() throws {
        #expect {
            try History(folder: journal.folder + "/no")
        } throws: {
            "\($0)"
                == "\(journal.folder)/no/journal.sqlite: the journal cannot be read: there is none; name the folder of a journal that a host wrote"
        }
    }
}
