// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ToldStretchTests {
    /// What a till did, with every kind of cause.
    private static let past: [PastJournal.Row] = [
        .line(1, "till/sold", 10), .by("till", "till/taxed", 12, .output, of: 1),
        .by("guard", "guard/noted", ["n": 1], .own, of: 1), .line(2, "till/ask"),
        PastJournal.Row(
            type: "till/receipt", cause: ActionCause(.effect, 4), instance: "till", time: 12.25),
    ]

    /// The lines of a journal, as `gatehouse history --json` prints them.
    private func lines(_ journal: String, from first: UInt64? = nil) throws -> [Value] {
        var filter = HistoryFilter()
        filter.from = first.map(HistoryFilter.Bound.sequence)
        let cursor = try History(folder: journal).entries(filter)
        var values: [Value] = []
        while let item = try cursor.next() {
            guard case .record(let record) = item else { continue }
            values.append(record.value)
        }
        return values
    }

    /// The stretch of lines.
    private func stretch(_ lines: [Value], in folder: TemporaryFolder) throws -> ToldStretch {
        try folder.write(lines.map { $0.json() + "\n" }.joined(), to: "lines.ndjson")
        return try ToldStretch(path: folder("lines.ndjson"), stop: StopRequest())
    }

    @Test func `a journal of lines tells the same lines, times and causes included`() throws {
        let (journal, folder) = (try PastJournal(Self.past), try TemporaryFolder())
        let told = try lines(journal.folder)
        let stretch = try stretch(told, in: folder)
        #expect(stretch.isRecorded)
        #expect(try withExtendedLifetime(stretch) { try lines($0.journal) } == told)
    }

    @Test func `a part is numbered from 1 on, and knows no cause before it`() throws {
        let (journal, folder) = (try PastJournal(Self.past), try TemporaryFolder())
        let stretch = try stretch(try lines(journal.folder, from: 3), in: folder)
        let again = try withExtendedLifetime(stretch) { try lines($0.journal) }
        #expect(again.map { $0["sequence"] } == [1, 2, 3])
        #expect(
            again.map { $0["cause"] } == [["kind": "own"], ["kind": "unknown"], ["kind": "effect", "of": 2]])
        #expect(again.map { $0["time"] } == [1_002, 1_003, 1_004])
    }

    @Test func `inputs that somebody has kept go on from the state before them`() throws {
        let state = SavedState(configured: [:], plain: ["sold": 12], kept: [:], entries: [:])
        let stretch = try ToldStretch(of: "shop/3", from: state, behind: 41) { take in
            take(Array(#"{"type":"till/sold","payload":1}"#.utf8), 1_000.5)
            take(Array(#"{"type":"till/sold","payload":2}"#.utf8), 1_001)
        }
        #expect(stretch.start == 41 && !stretch.isRecorded)
        let told = try withExtendedLifetime(stretch) { try lines($0.journal) }
        #expect(told.map { $0["sequence"] } == [42, 43])
        #expect(told.map { $0["time"] } == [1_000.5, 1_001])
        #expect(
            told.map { $0["source"] } == [["input": "shop/3", "line": 42], ["input": "shop/3", "line": 43]])
        let found = try JournalReader(folder: stretch.journal).snapshots().good
        #expect(found.map(\.sequence) == [41] && found.first?.content == state)
    }

    @Test func `nothing may have come since the state`() throws {
        let stretch = try ToldStretch(of: "shop/3", from: nil, behind: 0) { _ in }
        #expect(try History(folder: stretch.journal).bounds() == nil)
        #expect(stretch.start == 0)
    }

    @Test func `a line needs no more than its number, its cause and its action`() throws {
        let folder = try TemporaryFolder()
        let stretch = try stretch(
            [
                ["sequence": 7, "cause": ["kind": "input"], "time": 5, "action": ["type": "a"]],
                [
                    "action": ["type": "b", "payload": 1], "cause": ["kind": "output", "of": 7],
                    "sequence": 8,
                ],
            ], in: folder)
        #expect(stretch.isRecorded)
        let again = try withExtendedLifetime(stretch) { try lines($0.journal) }
        #expect(again.map { $0["cause"] } == [["kind": "input", "input": 1], ["kind": "output", "of": 1]])
        #expect(again.map { $0["time"] } == [5, 5])
        #expect(again[1]["action"] == ["type": "b", "payload": 1])
    }

    /// What interceptors have emitted with the inputs 6, which was let pass, and 7, which was not, and with one that has no number.
    private let intercepted: [Value] = [
        ["sequence": 7, "cause": ["kind": "input", "input": 6], "time": 5, "action": ["type": "a"]],
        ["sequence": 8, "cause": ["kind": "interception", "input": 6], "action": ["type": "b"]],
        ["sequence": 9, "cause": ["kind": "interception", "input": 7], "action": ["type": "c"]],
        ["sequence": 10, "cause": ["kind": "interception"], "action": ["type": "d"]],
    ]

    @Test func `what an interceptor emitted keeps the input that is there`() throws {
        let folder = try TemporaryFolder()
        let stretch = try stretch(intercepted, in: folder)
        let again = try withExtendedLifetime(stretch) { try lines($0.journal) }
        #expect(
            again.map { $0["cause"] } == [
                ["kind": "input", "input": 1], ["kind": "interception", "input": 1],
                ["kind": "interception"], ["kind": "interception"],
            ])
    }

    @Test func `what an interceptor emitted in place of an input follows from no action that is there`()
        throws
    {
        var inputs: Set<UInt64> = []
        let follow = try intercepted.map { try ToldRecord($0)?.follows(from: &inputs) }
        #expect(follow == [false, true, false, true])
    }

    @Test func `a line that is an action makes the stretch one that does not tell what followed`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "\u{FEFF}{\"type\":\"a\"}\r\n\n{\"sequence\":1,\"cause\":{\"kind\":\"input\"},\"action\":{\"type\":\"b\"}}",
            to: "lines.ndjson")
        let stretch = try ToldStretch(path: folder("lines.ndjson"), stop: StopRequest())
        #expect(!stretch.isRecorded)
        let again = try withExtendedLifetime(stretch) { try lines($0.journal) }
        #expect(again.map { $0["action"] } == [["type": "a"], ["type": "b"]])
        #expect(again[0]["source"]?["line"] == 1)
    }

    @Test func `thousands of actions of different seconds stay in their order`() throws {
        let folder = try TemporaryFolder()
        let told = (1...3_000).map { number -> Value in
            [
                "sequence": Value(number), "time": .double(Double(number / 7)),
                "cause": ["kind": "input", "input": Value(number)],
                "source": ["input": "a", "line": Value(number)],
                "action": ["type": "n", "payload": Value(number)],
            ]
        }
        let stretch = try stretch(told, in: folder)
        let again = try withExtendedLifetime(stretch) { try lines($0.journal) }
        #expect(again.map { $0["action"] } == told.map { $0["action"] })
        #expect(again.map { $0["time"]?.doubleValue } == told.map { $0["time"]?.doubleValue })
    }

    @Test func `the end that somebody asks for ends the reading`() throws {
        let folder = try TemporaryFolder()
        try folder.write("{\"type\":\"a\"}\n", to: "lines.ndjson")
        let stop = StopRequest()
        stop.ask(.signal(2))
        let path = folder("lines.ndjson")
        #expect {
            try ToldStretch(path: path, stop: stop)
        } throws: {
            "\($0)" == "\(path): the reading was interrupted, and nothing is replayed"
        }
    }
}
