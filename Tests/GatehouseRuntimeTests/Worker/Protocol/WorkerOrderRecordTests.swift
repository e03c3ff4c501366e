// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The orders of protocol 1, as a host of any version writes them: the program of an older version obeys them for ever.
@Suite(.timeLimit(.minutes(10))) struct WorkerOrderRecordTests {
    /// Each order of the protocol in the order in which they are given here, recorded when the protocol got its number.
    static let record: [(name: String, bytes: String)] = [
        (
            "restore",
            #"\x18\x00\x00\x00\x02\x01\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00{"count":4}"#
        ),
        (
            "start",
            #" \x00\x00\x00\x03\x07\x00\x00\x00journal\x05\x00\x00\x00\x00\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"#
        ),
        (
            "start with an effect",
            #"\xe8\x00\x00\x00\x03\x07\x00\x00\x00journal\x05\x00\x00\x00\x00\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\xc4\x00\x00\x00{"number":9,"instance":"counter","sequence":3,"key":"journal-3-counter","ordinal":0,"attempt":2,"recovery":"again","action":{"type":"increment","payload":{"by":2}},"file":"orders.ndjson","line":7}"#
        ),
        (
            "source",
            #""\x00\x00\x00\x04\x0d\x00\x00\x00orders.ndjson\x00\x00\x00\x00\x01\x06\x00\x00\x00a note\x00"#
        ),
        (
            "hear",
            #"y\x00\x00\x00\x05\x0b\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00 @\xfcT\xd9A\x07\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00increment/\x00\x00\x00{"type":"counter/increment","payload":{"by":2}}"#
        ),
        (
            "show",
            #"s\x00\x00\x00\x06\x0b\x00\x00\x00\x00\x00\x00\x00\x12\x00\x00\x00journal-11-counter\x02\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00increment/\x00\x00\x00{"type":"counter/increment","payload":{"by":2}}"#
        ),
        (
            "reduce",
            #"Y\x00\x00\x00\x07\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00 @\xfcT\xd9A\x07\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00increment/\x00\x00\x00{"type":"counter/increment","payload":{"by":2}}"#
        ),
        (
            "skip",
            #"\x0d\x00\x00\x00\x08\x08\x00\x00\x00whatever"#
        ),
        (
            "copy",
            #"\x09\x00\x00\x00\x09\x01\x00\x00\x00\x00\x00\x00\x00"#
        ),
        (
            "gate",
            #"\x02\x00\x00\x00\x0a\x01"#
        ),
        (
            "cancelEffects",
            #"\x01\x00\x00\x00\x0b"#
        ),
        (
            "stopEffects",
            #"\x02\x00\x00\x00\x0c\x01"#
        ),
        (
            "careful",
            #"\x09\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00"#
        ),
        (
            "stopping",
            #"\x01\x00\x00\x00\x0d"#
        ),
        (
            "endEffects",
            #"\x01\x00\x00\x00\x0e"#
        ),
    ]

    /// Where the actions come from.
    private static let source = ActionSource(file: "orders.ndjson", function: "", line: 7, info: "a note")

    /// The bytes of one order.
    private static func frame(_ order: WorkerOrder, _ body: (inout FrameWriter) -> Void = { _ in }) -> [UInt8]
    {
        var writer = FrameWriter()
        writer.begin(order.rawValue)
        body(&writer)
        writer.end()
        return writer.bytes
    }

    /// The bytes of what a batch has written.
    private static func batch(_ body: (inout OrderBatch) -> Void) -> [UInt8] {
        var batch = OrderBatch()
        body(&batch)
        return batch.frames.bytes
    }

    /// Each order, as this version writes it.
    private static func written() throws -> [(name: String, bytes: [UInt8])] {
        let json = Array(#"{"type":"counter/increment","payload":{"by":2}}"#.utf8)
        let increment = AnyAction(ActionType("increment"), payload: ["by": 2])
        let global = ActionType("counter/increment")
        var effect = JournalEffect(
            number: 9, instance: "counter", sequence: 3, recovery: .again, key: "journal-3-counter",
            action: increment, source: source)
        effect.attempt = 2
        let value = effect.value
        let keys = WorkerTraffic.Keys(name: "journal", epoch: 5)
        let hear = batch {
            batch in
            unsafe json.withUnsafeBytes {
                unsafe batch.add(
                    hearing: "increment", under: global, from: source, as: $0, effect: nil, sequence: 11,
                    origin: ChainOrigin(input: 4, epoch: 5, first: 10, place: ChainPlace(number: 1)),
                    at: 1_700_000_000.5)
            }
        }
        var skipped = FrameWriter()
        skipped.begin(WorkerOrder.hear.rawValue)
        skipped.put("whatever")
        skipped.end()
        skipped.change(WorkerOrder.skip.rawValue, at: 0)
        var shown = JournalEffect(number: 7, instance: "counter", sequence: 11, recovery: .again, key: "k")
        (shown.ordinal, shown.attempt) = (3, 2)
        return [
            ("restore", frame(.restore) { $0.put(VersionedState(version: 1, value: ["count": 4])) }),
            ("start", frame(.start) { WorkerTraffic.write(keys, [], after: 12, to: &$0) }),
            (
                "start with an effect",
                frame(.start) { WorkerTraffic.write(keys, [value], after: 12, to: &$0) }
            ),
            ("source", batch { $0.add(source) }),
            ("hear", hear),
            (
                "show",
                Array(
                    batch {
                        $0.add(
                            showing: increment, under: global, from: source, as: json, effect: 1,
                            beginning: [shown], named: "journal-11-counter")
                    }.dropFirst(batch { $0.add(source) }.count)
                )
            ),
            (
                "reduce",
                frame(.reduce) {
                    $0.put(11 as UInt64)
                    $0.put(1_700_000_000.5)
                    $0.put(increment, from: source, as: json)
                }
            ),
            ("skip", skipped.bytes),
            ("copy", frame(.copy) { $0.put(1 as UInt64) }),
            ("gate", frame(.gate) { $0.put(1 as UInt8) }),
            ("cancelEffects", frame(.cancelEffects)),
            ("stopEffects", frame(.stopEffects) { $0.put(true) }),
            ("careful", frame(.careful) { $0.put(1 as UInt64) }),
            ("stopping", frame(.stopping)),
            ("endEffects", frame(.endEffects)),
        ]
    }

    @Test func `this version writes every order as it is recorded`() throws {
        let written = try Self.written()
        #expect(written.map(\.name) == Self.record.map(\.name))
        for (written, recorded) in zip(written, Self.record) {
            #expect(WireText(written.bytes).description == recorded.bytes, "\(written.name)")
        }
        // A new order is another protocol, or is recorded here.
        let kinds = Set(written.map { $0.bytes[4] })
        #expect(kinds == Set((1...14).map { UInt8($0) }))
        #expect((0...255).compactMap { WorkerOrder(rawValue: $0) }.count == kinds.count)
    }

    /// What a session has told, by the kinds of its messages.
    private struct Told {
        /// The frames of each kind without their lengths, in order.
        var frames: [UInt8: [[UInt8]]] = [:]
        /// How many orders are done by its last checkpoint.
        var orders: UInt64 = 0
        /// How it has ended.
        var end: String?
    }

    /// Lets a session of the counter obey bytes until so many orders are done, and then gives it a message that no host sends.
    private func told(obeying bytes: [UInt8], orders: Int) throws -> Told {
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "discovery": "ignore", "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        let note = try #require(plan.instances.first?.image?.note)
        let fromWorker = try RingFile(named: "from worker", capacity: 1 << 16)
        let toWorker = try RingFile(named: "to worker", capacity: 1 << 16)
        let (ofWorker, ofHost) = (try RingMemory(own: fromWorker), try RingMemory(own: toWorker))
        let member = WorkerRequest.Member(
            path: BuiltProducts.library("CounterPlugin"), name: "libCounterPlugin.so", note: note.value,
            id: "counter", settings: [:], dependencies: [], dataDirectory: nil, own: 0, other: 0, network: nil
        )
        let (seenByHost, seenByWorker) = (try RingMemory(other: fromWorker), try RingMemory(other: toWorker))
        let ended = DispatchSemaphore(value: 0)
        let end = Mutex<String?>(nil)
        BackgroundThread.perform {
            do {
                try WorkerSession(
                    member, WorkerImages(), RunProgress(), RingWriter(own: ofWorker, other: seenByWorker),
                    RingReader(own: ofWorker, other: seenByWorker))?.run()
            } catch {
                end.withLock { $0 = "\(error)" }
            }
            ended.signal()
        }
        var writer = RingWriter(own: ofHost, other: seenByHost)
        var reader = RingReader(own: ofHost, other: seenByHost)
        #expect(try writer.put(bytes.span) == bytes.count)
        writer.publish()
        var told = Told()
        var frames = FrameReader(limit: WorkerRequest.longestMessage)
        let bell = RingBell()
        while told.orders < orders {
            let heard = bell.count
            let came = try frames.read(&reader, atMost: 1 << 16) { frame in
                let kind = frame.kind
                let start = frame
                var count = 0
                while (try? frame.number(UInt8.self)) != nil { count += 1 }
                var copy = start
                let content = try (0..<count).map { _ in try copy.number(UInt8.self) }
                told.frames[kind, default: []].append(content)
                if kind == WorkerNews.checkpoint.rawValue {
                    var copy = start
                    told.orders = try copy.number(UInt64.self)
                }
            }
            if !came {
                try #require(try bell.wait(for: reader, heard: heard, spins: 0, atMost: .seconds(300)))
            }
        }
        let strange: [UInt8] = [1, 0, 0, 0, 255]
        #expect(try writer.put(strange.span) == strange.count)
        writer.publish()
        ended.wait()
        told.end = end.withLock { $0 }
        return told
    }

    @Test func `this version obeys the recorded orders, and ends at one that the protocol does not have`()
        throws
    {
        // No effect of the counter can begin again.
        let orders = Self.record.filter { $0.name != "start with an effect" }
        let told = try told(
            obeying: orders.flatMap { try WireText.bytes(of: $0.bytes) }, orders: orders.count)
        #expect(told.end == "a message of kind 255 was not expected")
        #expect(
            told.frames[WorkerNews.ready.rawValue]?.map { WireText($0).description } == [
                #"\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00"#
            ])
        #expect(
            told.frames[WorkerNews.restored.rawValue]?.map { WireText($0).description } == [
                #"\x01\x0b\x00\x00\x00{"count":4}"#
            ])
        // Heard once and reduced once.
        #expect(
            told.frames[WorkerNews.copy.rawValue]?.map { WireText($0).description } == [
                #"\x01\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00{"count":8}"#
            ])
        #expect(told.frames[WorkerNews.refused.rawValue] == nil)
        // The counter has no effect that could begin again.
        let reports = told.frames[WorkerNews.report.rawValue, default: []].map { WireText($0).description }
        #expect(
            reports.contains {
                $0.contains(
                    "its effect journal-11-counter: counter did not begin it when its action was shown again")
            }, "\(reports)")
    }
}
