// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a host keeps of the orders that it gave a worker.
@Suite(.timeLimit(.minutes(10))) struct KeptOrdersTests {
    private let place = ActionSource(file: "in.ndjson", function: "", line: 0, info: nil)

    /// Adds an action with a number, and as many bytes.
    private func add(_ sequence: UInt64, to kept: inout KeptOrders) {
        var batch = OrderBatch()
        add(sequence, to: &batch)
        kept.take(&batch)
        #expect(batch.orders.isEmpty)
    }

    /// The same to a batch.
    private func add(_ sequence: UInt64, to batch: inout OrderBatch) {
        batch.add(
            .hear, effect: sequence + 100, sequence: sequence,
            action: (AnyAction(ActionType("kept/\(sequence)")), place)
        ) { $0.put([UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: Int(sequence))) }
    }

    /// The kinds of the frames that are to be sent, and sends them.
    private func send(_ kept: inout KeptOrders) throws -> [UInt8] {
        var reader = FrameReader(limit: 10_000)
        let count = kept.withUnsent { bytes in
            reader.fill((0..<bytes.count).map { bytes[$0] })
            return bytes.count
        }
        kept.send(count)
        var kinds: [UInt8] = []
        while let frame = try reader.next() { kinds.append(frame.kind) }
        return kinds
    }

    @Test func `what was sent is not sent again to the same worker`() throws {
        var kept = KeptOrders()
        add(1, to: &kept)
        #expect(!kept.isSent)
        #expect(try send(&kept) == [WorkerOrder.hear.rawValue])
        #expect(kept.isSent)
        var batch = OrderBatch()
        add(2, to: &batch)
        batch.add(.gate) { $0.put(1 as UInt8) }
        kept.take(&batch)
        #expect(try send(&kept) == [WorkerOrder.hear.rawValue, WorkerOrder.gate.rawValue])
    }

    @Test func `another worker is given all that has no checkpoint behind it`() throws {
        var kept = KeptOrders()
        for sequence in 1...5 as ClosedRange<UInt64> { add(sequence, to: &kept) }
        _ = try send(&kept)
        var finished: [UInt64?] = []
        try kept.finish(through: 2) { _, effect, _ in finished.append(effect) }
        #expect(finished == [101, 102])
        #expect(kept.last == 2)
        #expect(kept.count == 3)
        #expect(kept.isSent)
        kept.rewind()
        #expect(try send(&kept).count == 3)
        try kept.finish(through: 5) { _, _, _ in }
        kept.rewind()
        #expect(try send(&kept) == [])
    }

    @Test func `an order that was not sent whole cannot be done`() throws {
        var kept = KeptOrders()
        add(1, to: &kept)
        add(2, to: &kept)
        // The first one, and all but a byte of the second.
        let count = kept.withUnsent { $0.count }
        kept.send(count - 1)
        try kept.finish(through: 1) { _, _, _ in }
        #expect(throws: FrameFailure.badNumber("a number of orders")) {
            try kept.finish(through: 2) { _, _, _ in }
        }
        #expect(throws: FrameFailure.badNumber("a number of orders")) {
            try kept.finish(through: 99) { _, _, _ in }
        }
    }

    @Test func `a source is told once, and again to a worker that comes later`() throws {
        var (kept, batch) = (KeptOrders(), OrderBatch())
        batch.add(place)
        add(1, to: &batch)
        kept.take(&batch)
        batch.add(place.at(line: 7))
        add(2, to: &batch)
        kept.take(&batch)
        #expect(try send(&kept) == [.source, .hear, .hear].map { (order: WorkerOrder) in order.rawValue })
        #expect(kept.context.isEmpty)
        try kept.finish(through: 2) { _, _, _ in }
        var reader = FrameReader(limit: 1_000)
        reader.fill(kept.context)
        var frame = try #require(try reader.next())
        #expect(frame.kind == WorkerOrder.source.rawValue)
        #expect(try frame.text() == "in.ndjson")
    }

    @Test func `an action that is skipped leaves its place to nothing`() throws {
        var kept = KeptOrders()
        for sequence in 1...3 as ClosedRange<UInt64> { add(sequence, to: &kept) }
        #expect(kept.skip(2)?.action.type.name == "kept/2")
        #expect(kept.skip(9)?.action == nil)
        #expect(try send(&kept) == [.hear, .skip, .hear].map { (order: WorkerOrder) in order.rawValue })
    }

    @Test func `all that is kept can be given up`() throws {
        var kept = KeptOrders()
        for sequence in 1...3 as ClosedRange<UInt64> { add(sequence, to: &kept) }
        _ = try send(&kept)
        try kept.finish(through: 1) { _, _, _ in }
        var names: [String] = []
        let effects = kept.removeAll { action, _ in names.append(action.type.name) }
        #expect(names == ["kept/2", "kept/3"])
        #expect(effects == [102, 103])
        #expect(kept.count == 0)
        #expect(kept.isSent)
        add(4, to: &kept)
        #expect(try send(&kept).count == 1)
        try kept.finish(through: 4) { _, effect, _ in #expect(effect == 104) }
    }

    @Test(arguments: [911, 912, 913] as [UInt64])
    func `whatever is added, sent, done and begun anew, each order is done once and in order`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        var (kept, batch) = (KeptOrders(), OrderBatch())
        var (added, done): (UInt64, [UInt64]) = (0, [])
        // What the worker has taken of the stream since it began, and the number of the first order in it.
        var (stream, first): ([UInt8], UInt64) = ([], 1)
        for _ in 0..<3_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                for _ in 0...Int.random(in: 0...3, using: &random) {
                    added += 1
                    let size = Int.random(in: 0...40, using: &random)
                    batch.add(.hear, effect: added, sequence: added) {
                        $0.put([UInt8](repeating: 1, count: size))
                    }
                }
                kept.take(&batch)
            case 4..<7:
                let part = kept.withUnsent { bytes in
                    (0..<Int.random(in: 0...bytes.count, using: &random)).map { bytes[$0] }
                }
                kept.send(part.count)
                stream += part
            case 7..<9:
                var reader = FrameReader(limit: 1_000)
                reader.fill(stream)
                var whole: UInt64 = 0
                while try reader.next() != nil { whole += 1 }
                guard whole > 0, first + whole - 1 > kept.last else { continue }
                let number = UInt64.random(in: kept.last + 1...first + whole - 1, using: &random)
                try kept.finish(through: number) { _, _, sequence in done.append(sequence) }
            default:
                kept.rewind()
                (stream, first) = ([], kept.last + 1)
            }
            #expect(kept.count == Int(added) - done.count)
        }
        #expect(done == Array(1...UInt64(done.count)))
        #expect(done.count > 100)
    }
}
