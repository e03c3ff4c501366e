// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
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
        hear(
            ActionType("kept/\(sequence)"), sequence, payload: String(repeating: "x", count: Int(sequence)),
            in: &batch)
    }

    /// Adds an order to hear an action whose local type is `heard`.
    private func hear(
        _ type: ActionType, _ sequence: UInt64, payload: String = "", in batch: inout OrderBatch
    ) {
        let json = Array(#"{"type":"line/\#(sequence)","payload":"\#(payload)"}"#.utf8)
        unsafe json.withUnsafeBytes {
            unsafe batch.add(
                hearing: "heard", under: type, from: place.at(line: UInt(sequence)), as: $0,
                effect: sequence + 100, sequence: sequence,
                origin: ChainOrigin(input: 1, epoch: 6, first: 2, place: ChainPlace(number: 3)), at: 4.5)
        }
    }

    /// An action under a name from outside; nil while the table of names is full.
    private func arriving(_ name: String) -> AnyAction? {
        unsafe Array(name.utf8).withUnsafeBytes { unsafe AnyAction(arriving: $0) }
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

    @Test(
        arguments: [
            (.hear, true), (.reduce, true), (.show, false), (.skip, false), (.copy, false), (.gate, false),
            (.restore, false), (.cancelEffects, false), (.stopping, false),
        ] as [(WorkerOrder, Bool)])
    func `only what a reducer hears can change the state, until there is a checkpoint after it`(
        order: WorkerOrder, changesState: Bool
    ) throws {
        var kept = KeptOrders()
        #expect(!kept.changesState)
        var batch = OrderBatch()
        batch.add(order)
        kept.take(&batch)
        #expect(kept.changesState == changesState)
        _ = try send(&kept)
        try kept.finish(through: 1) { _, _, _ in false }
        #expect(!kept.changesState)
    }

    @Test
    func
        `an instance that hears none of it has missed it, but for what is skipped and what it was not given`()
        throws
    {
        var kept = KeptOrders()
        for sequence in 1...4 as ClosedRange<UInt64> { add(sequence, to: &kept) }
        for sequence in [7, 9, 10] as [UInt64] { add(sequence, to: &kept) }
        #expect(kept.standing == Standing(at: 0, missed: 7, open: [1...4, 7...7, 9...10]))
        _ = try send(&kept)
        try kept.finish(through: 1) { _, _, _ in false }
        #expect(kept.standing == Standing(at: 1, missed: 6, open: [2...4, 7...7, 9...10]))
        #expect(kept.skip(9) != nil)
        #expect(kept.standing == Standing(at: 1, missed: 5, open: [2...4, 7...7, 10...10]))
        _ = kept.removeAll()
        #expect(kept.standing == nil)
    }

    @Test func `another worker is given all that has no checkpoint after it`() throws {
        var kept = KeptOrders()
        for sequence in 1...5 as ClosedRange<UInt64> { add(sequence, to: &kept) }
        _ = try send(&kept)
        var finished: [UInt64?] = []
        try kept.finish(through: 2) { _, effect, _ in
            finished.append(effect)
            return false
        }
        #expect(finished == [101, 102])
        #expect(kept.last == 2)
        #expect(kept.count == 3)
        #expect(kept.isSent)
        kept.rewind()
        #expect(try send(&kept).count == 3)
        try kept.finish(through: 5) { _, _, _ in false }
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
        try kept.finish(through: 1) { _, _, _ in false }
        #expect(throws: FrameFailure.badNumber("a number of orders")) {
            try kept.finish(through: 2) { _, _, _ in false }
        }
        #expect(throws: FrameFailure.badNumber("a number of orders")) {
            try kept.finish(through: 99) { _, _, _ in false }
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
        try kept.finish(through: 2) { _, _, _ in false }
        var reader = FrameReader(limit: 1_000)
        reader.fill(kept.context)
        var frame = try #require(try reader.next())
        #expect(frame.kind == WorkerOrder.source.rawValue)
        #expect(try frame.text() == "in.ndjson")
    }

    @Test func `an action that is skipped leaves its place to nothing`() throws {
        var kept = KeptOrders()
        for sequence in 1...3 as ClosedRange<UInt64> { add(sequence, to: &kept) }
        var lines = RecordedLines()
        #expect(kept.skip(2)?.read(by: &lines).type.name == "kept/2")
        #expect(kept.skip(9) == nil)
        #expect(kept.skip(2) == nil)
        #expect(kept.actions.map(\.sequence) == [1, 3])
        #expect(try send(&kept) == [.hear, .skip, .hear].map { (order: WorkerOrder) in order.rawValue })
    }

    @Test func `all that is kept can be given up`() throws {
        var kept = KeptOrders()
        for sequence in 1...3 as ClosedRange<UInt64> { add(sequence, to: &kept) }
        _ = try send(&kept)
        try kept.finish(through: 1) { _, _, _ in false }
        var lines = RecordedLines()
        let all = kept.removeAll()
        #expect(all.actions.map { $0.read(by: &lines).type.name } == ["kept/2", "kept/3"])
        #expect(all.actions.map(\.source) == [place.at(line: 2), place.at(line: 3)])
        #expect(all.logged == [102, 103])
        #expect(kept.count == 0)
        #expect(kept.isSent)
        add(4, to: &kept)
        #expect(try send(&kept).count == 1)
        try kept.finish(through: 4) { _, effect, _ in
            #expect(effect == 104)
            return false
        }
    }

    @Test func `an order to hear is one frame with all that a worker needs`() throws {
        var batch = OrderBatch()
        hear("kept/1", 7, payload: "p", in: &batch)
        var reader = FrameReader(limit: 1_000)
        reader.fill(batch.frames.bytes)
        var frame = try #require(try reader.next())
        #expect(frame.kind == WorkerOrder.hear.rawValue)
        #expect(try frame.number(UInt64.self) == 7)
        #expect(
            try frame.origin()
                == ChainOrigin(input: 1, epoch: 6, first: 2, place: ChainPlace(number: 3)))
        #expect(try frame.fraction() == 4.5)
        var lines = RecordedLines()
        let action = try frame.action(by: &lines)
        #expect(Array(action.type) == Array("heard".utf8))
        #expect(action.line == 7)
        #expect(action.action.payload == "p")
        try frame.finish()
        #expect(try reader.next() == nil)
    }

    @Test func `an action is read back as it was given, of both kinds of order, once it is needed`() throws {
        var (kept, batch) = (KeptOrders(), OrderBatch())
        hear("kept/1", 1, payload: "first", in: &batch)
        let action = AnyAction("heard", payload: ["deep": [1, 2.5]], error: true, meta: ["m": true])
        var json: [UInt8] = []
        try action.writeWireForm(to: &json)
        batch.add(
            .show, action, under: "kept/2", from: place, as: json, effect: nil,
            sequence: 2
        ) {
            $0.put(2 as UInt64)
            $0.put("a key of any length")
        }
        kept.take(&batch)
        kept.send(kept.withUnsent { $0.count })
        var lines = RecordedLines()
        #expect(kept.actions.map { $0.read(by: &lines).payload } == ["first", ["deep": [1, 2.5]]])
        let needed = try kept.finish(through: 2) { _, _, sequence in sequence == 2 }
        #expect(needed.map(\.sequence) == [2])
        let read = try #require(needed.first).read(by: &lines)
        #expect(read.type.name == "kept/2")
        #expect(read.isError)
        #expect(read.meta == ["m": true])
        #expect(kept.actions.isEmpty)
    }

    @Test func `a name that only the input has used is known as long as its order is kept`() throws {
        var (kept, batch) = (KeptOrders(), OrderBatch())
        do {
            let name = "kept/passing-\(UInt64.random(in: 0 ... .max))"
            let action = try #require(arriving(name))
            withExtendedLifetime(action) {
                #expect(action.type.isPassing)
                hear(action.type, 1, in: &batch)
            }
            kept.take(&batch)
        }
        hear("kept/1", 2, in: &batch)
        kept.take(&batch)
        // So many names come after it that it would be forgotten.
        for number in 0..<100_000 {
            let name = "kept/other-\(number)"
            _ = arriving(name)
        }
        var lines = RecordedLines()
        let name = try #require(kept.actions.first).read(by: &lines).type.name
        #expect(name.hasPrefix("kept/passing-"))
    }

    @Test func `names that take turns stay known after others of theirs are done`() throws {
        var (kept, batch) = (KeptOrders(), OrderBatch())
        let names = (1...2).map { _ in "kept/turn-\(UInt64.random(in: 0 ... .max))" }
        do {
            let actions = try names.map { try #require(arriving($0)) }
            withExtendedLifetime(actions) {
                for sequence in 1...8 as ClosedRange<UInt64> {
                    hear(actions[Int(sequence) % 2].type, sequence, in: &batch)
                    if sequence % 3 == 0 { kept.take(&batch) }
                }
            }
            kept.take(&batch)
        }
        kept.send(kept.withUnsent { $0.count })
        try kept.finish(through: 6) { _, _, _ in false }
        for number in 0..<100_000 {
            let name = "kept/later-\(number)"
            _ = arriving(name)
        }
        var lines = RecordedLines()
        #expect(kept.actions.map { $0.read(by: &lines).type.name } == [names[1], names[0]])
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
                    let payload = String(repeating: "y", count: size)
                    hear(ActionType("kept"), added, payload: payload, in: &batch)
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
                try kept.finish(through: number) { _, _, sequence in
                    done.append(sequence)
                    return false
                }
            default:
                kept.rewind()
                (stream, first) = ([], kept.last + 1)
            }
            #expect(kept.count == Int(added) - done.count)
        }
        #expect(done == Array(1...UInt64(done.count)))
        #expect(done.count > 100)
    }

    @Test
    func
        `what the state does not have of the actions without a checkpoint is to be reduced, in order and once`()
        throws
    {
        var kept = KeptOrders()
        var batch = OrderBatch()
        add(1, to: &batch)
        add(2, to: &batch)
        batch.add(place)
        let late = LateAction(AnyAction("late"), under: "a/late", at: nil, as: 3)
        batch.add(reducing: late, as: Array(#"{"type":"late"}"#.utf8))
        let shown = JournalEffect(
            number: 1, instance: "a", sequence: 3, recovery: .again, key: "k", action: AnyAction("a/shown"))
        batch.add(
            showing: AnyAction("shown"), under: "a/shown", from: place, as: Array(#"{"type":"shown"}"#.utf8),
            effect: 103, beginning: [shown], named: "k")
        add(4, to: &batch)
        add(5, to: &batch)
        kept.take(&batch)
        #expect(kept.unreduced.map(\.action.type.name) == ["heard", "heard", "late", "heard", "heard"])
        #expect(kept.unreduced.map(\.time) == [4.5, 4.5, nil, 4.5, 4.5])
        #expect(kept.unreduced.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(kept.unreduced[1].action.payload == "xx")
        #expect(kept.actions.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(kept.standing == Standing(at: 0, missed: 5, open: [1...5]))
        _ = kept.skip(4)
        _ = try send(&kept)
        _ = try kept.finish(through: 1) { _, _, _ in false }
        #expect(kept.unreduced.map(\.action.type.name) == ["heard", "late", "heard"])
        #expect(kept.unreduced.map(\.action.payload) == ["xx", nil, "xxxxx"])
        // What is left out is neither reduced nor shown.
        var lines = RecordedLines()
        #expect(kept.skip(3)?.read(by: &lines).type == "a/shown")
        #expect(kept.unreduced.map(\.sequence) == [2, 5])
        #expect(kept.actions.map(\.sequence) == [2, 5])
        #expect(kept.standing == Standing(at: 1, missed: 2, open: [2...2, 5...5]))
    }
}
