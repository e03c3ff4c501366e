// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What the worker of protocol 1 tells, as the program of an older version writes it for ever: a host of any version understands it.
@Suite(.timeLimit(.minutes(10))) struct WorkerNewsRecordTests {
    /// Each message, recorded when the protocol got its number.
    static let record: [(name: String, bytes: String)] = [
        (
            "ready",
            #"\x0b\x00\x00\x00\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00"#
        ),
        (
            "refused",
            #"\x11\x00\x00\x00\x02\x0c\x00\x00\x00no such file"#
        ),
        (
            "misfit",
            #"\x1b\x00\x00\x00\x03\x03\x00\x00\x00/by\x08\x00\x00\x00a number\x03\x00\x00\x00"x""#
        ),
        (
            "restored",
            #"\x11\x00\x00\x00\x04\x01\x0b\x00\x00\x00{"count":4}"#
        ),
        (
            "not restored",
            #"\x1c\x00\x00\x00\x04\x00\x03\x00\x00\x00/by\x08\x00\x00\x00a number\x03\x00\x00\x00"x""#
        ),
        (
            "source and output",
            #"\x1a\x00\x00\x00\x06\x0c\x00\x00\x00Orders.swift\x03\x00\x00\x00f()\x00\x00<\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00&\x00\x00\x00{"type":"a/placed","payload":{"id":1}}"#
        ),
        (
            "log",
            #"\x15\x00\x00\x00\x09\x00\x07\x00\x00\x00warning\x04\x00\x00\x00slow"#
        ),
        (
            "failing",
            #"\x0e\x00\x00\x00\x09\x01\x01\x07\x00\x00\x00no room"#
        ),
        (
            "well",
            #"\x03\x00\x00\x00\x09\x01\x00"#
        ),
        (
            "undecodable",
            #"I\x00\x00\x00\x09\x02\x0c\x00\x00\x00Orders.swift\x03\x00\x00\x00f()\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00a/placed\x03\x00\x00\x00/by\x08\x00\x00\x00a number\x03\x00\x00\x00"x""#
        ),
        (
            "unusable state",
            #"I\x00\x00\x00\x09\x03\x0c\x00\x00\x00Orders.swift\x03\x00\x00\x00f()\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00a/placed\x03\x00\x00\x00/by\x08\x00\x00\x00a number\x03\x00\x00\x00"x""#
        ),
        (
            "unwritable",
            #"\x1c\x00\x00\x00\x09\x04\x03\x00\x00\x00/by\x08\x00\x00\x00a number\x03\x00\x00\x00"x""#
        ),
        (
            "failed",
            #"\x1b\x00\x00\x00\x09\x05\x08\x00\x00\x00a/placed\x09\x00\x00\x00no answer"#
        ),
        (
            "refused number",
            #"\x16\x00\x00\x00\x09\x06\x04\x00\x00\x00sent\x08\x00\x00\x00too many"#
        ),
        (
            "sentence",
            #"\x1c\x00\x00\x00\x09\x07\x16\x00\x00\x00control: somebody asks"#
        ),
        (
            "dead letter",
            #"\xb0\x00\x00\x00\x09\x08\xaa\x00\x00\x00{"time":1700000000.5,"kind":"failed","reason":"no answer","type":"a/placed","file":"Orders.swift","line":7,"instance":"a","sequence":5,"action":"{\x5c"type\x5c":\x5c"a/placed\x5c"}"}"#
        ),
        (
            "checkpoint with a count",
            #"\xaf\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x01\x0b\x00\x00\x00{"count":4}\x02\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00\x01\x01\x07\x00\x00\x00no room\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\xf4\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00sent\x00\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0c\x00\x00\x00{"number":9}\x00\x00\x00\x00"#
        ),
        (
            "checkpoint with a gauge",
            #"\x89\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00\x01\x01\x07\x00\x00\x00no room\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\xf4\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x05\x00\x00\x00queue\x01\x00\x00\x00\x00\x00\x00\xf8?\x00\x00\x00\x00\x01\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00"#
        ),
        (
            "checkpoint with a time",
            #"\x89\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00\x01\x01\x07\x00\x00\x00no room\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\xf4\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x05\x00\x00\x00asked\x02\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00\x00"#
        ),
        (
            "checkpoint without changes",
            #"\x1f\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"#
        ),
    ]

    /// Where outputs come from.
    private static let source = ActionSource(file: "Orders.swift", function: "f()", line: 7, info: nil)

    /// The bytes of one message.
    private static func frame(_ news: WorkerNews, _ body: (inout FrameWriter) -> Void = { _ in }) -> [UInt8] {
        var writer = FrameWriter()
        writer.begin(news.rawValue)
        body(&writer)
        writer.end()
        return writer.bytes
    }

    /// The bytes of a note.
    private static func note(_ report: HostReport) -> [UInt8] {
        let notes = WorkerNotes {}
        notes.add(report)
        return notes.takeFrames()
    }

    /// Each message, as this version writes it.
    private static func written() throws -> [(name: String, bytes: [UInt8])] {
        let failure = CodingFailure(pointer: try JSONPointer("/by"), expected: "a number", found: "\"x\"")
        let action = AnyAction(ActionType("a/placed"), payload: ["id": 1])
        let outbox = WorkerOutbox(of: "a", onArrival: {}, report: { _ in })
        _ = outbox.take(DispatchedAction(action, dispatcher: source))
        var account = WorkerAccount()
        account.health = .failing("no room")
        (account.failures, account.misfits) = (2, 3)
        account.handling = StageTime(samples: 4, nanoseconds: 500)
        func with(_ name: String, _ number: PluginStatus.Number) -> WorkerAccount {
            var account = account
            account.numbers = [name: number]
            return account
        }
        let effect: Value = ["number": 9]
        func checkpoint(_ account: WorkerAccount?, state: Value?, begun: [UInt64], ended: [UInt64]) -> [UInt8]
        {
            frame(.checkpoint) { frame in
                frame.put(0 as UInt64)
                frame.put((state == nil ? 0 : 1) as UInt8)
                if let state { frame.put(state) }
                for count in [2, 1, 3] as [UInt32] { frame.put(count) }
                frame.put((account == nil ? 0 : 1) as UInt8)
                account?.write(to: &frame)
                frame.put(UInt32(begun.count))
                for number in begun {
                    frame.put(number)
                    frame.put(0 as UInt64)
                    frame.put(effect)
                }
                frame.put(UInt32(ended.count))
                for number in ended { frame.put(number) }
            }
        }
        let letters = WorkerNotes {}
        letters.bury(
            DeadLetter(
                .failed, type: "a/placed", action: Array(#"{"type":"a/placed"}"#.utf8), from: source,
                instance: "a",
                sequence: 5, time: 1_700_000_000.5, reason: "no answer"))
        return [
            (
                "ready",
                frame(.ready) {
                    $0.put(1 as UInt8)
                    $0.put(1 as UInt64)
                    $0.put(0 as UInt8)
                }
            ),
            ("refused", frame(.refused) { $0.put("no such file") }),
            ("misfit", frame(.misfit) { $0.put(failure) }),
            (
                "restored",
                frame(.restored) {
                    $0.put(1 as UInt8)
                    $0.put(["count": 4] as Value)
                }
            ),
            (
                "not restored",
                frame(.restored) {
                    $0.put(0 as UInt8)
                    $0.put(failure)
                }
            ),
            ("source and output", outbox.takeFrames()),
            ("log", note(.log(.warning, instance: "a", line: "slow"))),
            ("failing", note(.health(.failing("no room"), instance: "a"))),
            ("well", note(.health(.ok, instance: "a"))),
            (
                "undecodable",
                note(
                    .undecodable(
                        source: source, column: nil, type: "a/placed", instance: "a", failure: failure))
            ),
            (
                "unusable state",
                note(.unusableState(source: source, type: "a/placed", instance: "a", failure: failure))
            ),
            ("unwritable", note(.unwritable(instance: "a", failure: failure))),
            ("failed", note(.failed(action: "a/placed", instance: "a", reason: "no answer"))),
            ("refused number", note(.refusedNumber(instance: "a", name: "sent", reason: "too many"))),
            ("sentence", note(.control("somebody asks"))),
            ("dead letter", letters.takeFrames()),
            (
                "checkpoint with a count",
                checkpoint(with("sent", .count(3)), state: ["count": 4], begun: [9], ended: [])
            ),
            (
                "checkpoint with a gauge",
                checkpoint(with("queue", .gauge(1.5)), state: nil, begun: [], ended: [9])
            ),
            (
                "checkpoint with a time",
                checkpoint(
                    with("asked", .time(count: 2, total: .seconds(1))), state: nil, begun: [], ended: [])
            ),
            ("checkpoint without changes", checkpoint(nil, state: nil, begun: [], ended: [])),
        ]
    }

    @Test func `this version tells everything as it is recorded`() throws {
        let written = try Self.written()
        #expect(written.map(\.name) == Self.record.map(\.name))
        for (written, recorded) in zip(written, Self.record) {
            #expect(WireText(written.bytes).description == recorded.bytes, "\(written.name)")
        }
        // A copy is told where it is asked for: the test of orders has its bytes. Another message would be another protocol.
        let kinds = Set(
            written.map { $0.bytes[4] } + [WorkerNews.source.rawValue, WorkerNews.output.rawValue])
        #expect(kinds.union([WorkerNews.copy.rawValue]) == Set((1...9).map { UInt8($0) }))
        #expect((0...255).compactMap { WorkerNews(rawValue: $0) }.count == 9)
        #expect((0...255).compactMap { WorkerNotes.Kind(rawValue: $0) }.count == 9)
    }

    @Test func `a host understands every recorded message`() throws {
        func bytes(_ names: (String) -> Bool) throws -> [UInt8] {
            try Self.record.filter { names($0.name) }.flatMap { try WireText.bytes(of: $0.bytes) }
        }
        #expect(try WorkerAnswersTests.objection(to: bytes { $0 != "not restored" }) == nil)
        // A state that nobody has given is refused by none: it is understood, and is a lie.
        #expect(
            try WorkerAnswersTests.objection(to: bytes { $0 == "not restored" })
                == "a message has a state of the worker before it that cannot be")
    }

    @Test func `a recorded note says what it was written for`() throws {
        func note(_ name: String) throws -> String {
            let bytes = try WireText.bytes(of: try #require(Self.record.first { $0.name == name }?.bytes))
            var reader = FrameReader(limit: 1_000)
            reader.fill(bytes)
            var frame = try #require(try reader.next())
            switch try WorkerNotes.read(&frame, of: "a", { $0 }) {
            case .report(let report): return "\(report)"
            case .letter(let letter): return "\(letter.kind.rawValue) \(letter.type) \(letter.reason)"
            }
        }
        #expect(
            try note("failed")
                == "\(HostReport.failed(action: "a/placed", instance: "a", reason: "no answer"))")
        #expect(try note("dead letter") == "failed a/placed no answer")
        #expect(try note("sentence") == "\(HostReport.worker(instance: "a", "control: somebody asks"))")
    }
}
