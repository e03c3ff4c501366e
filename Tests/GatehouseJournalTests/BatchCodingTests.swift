// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseJournal
@testable import GatehouseSupport

/// Batches as blobs: what comes back, and what becomes of damaged ones.
@Suite(.timeLimit(.minutes(10))) struct BatchCodingTests {
    /// The blob of some batches that follow each other, and its header.
    private func blob(
        _ batches: [JournalBatch], latestInput: UInt64 = 1_000_000
    ) -> (header: BatchHeader, content: [UInt8]) {
        var header = BatchHeader(
            id: 7, first: batches[0].firstSequence, count: 0, input: latestInput, effect: 0, open: 5,
            time: 1_763_000_000.25)
        var encoder = BatchEncoder()
        encoder.begin(header, epoch: 3, generation: batches[0].generation, after: 7)
        for batch in batches { encoder.append(batch, latestInput: latestInput) { _ in true } }
        header.count = encoder.count
        encoder.finish(header)
        return (header, encoder.bytes)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `what was handed over comes back`(seed: UInt64) throws {
        var history = JournalHistory(seed: seed)
        let batches = (0..<3).map { _ in history.batch(inputs: 20, passes: 15) }
        let (header, content) = blob(batches)
        let stored = try StoredBatch(header, content: content)
        #expect(stored.epoch == 3)
        #expect(stored.generation == 1)
        #expect(stored.inputs.map(\.number) == batches.flatMap { $0.inputs.map(\.number) })
        #expect(stored.inputs.map(\.id) == batches.flatMap { $0.inputs.map(\.id) })
        #expect(stored.entries.map(\.cause) == history.records.map(\.cause))
        #expect(stored.entries.map(\.time) == history.records.map(\.time))
        #expect(stored.entries.map(\.line) == history.records.map(\.line))
        #expect(stored.begun == batches.flatMap(\.begun).map(\.withoutAction))
        #expect(stored.done.flatMap { $0.map { $0 } } == batches.flatMap(\.done))
        #expect(stored.ended.flatMap { $0.map { $0 } } == batches.flatMap(\.ended))
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a changed byte is noticed wherever it is`(seed: UInt64) {
        var history = JournalHistory(seed: seed)
        let (header, content) = blob([history.batch(inputs: 20, passes: 15)])
        for _ in 0..<200 {
            var damaged = content
            let place = Int.random(in: 0..<damaged.count, using: &history.generator)
            damaged[place] ^= UInt8.random(in: 1...255, using: &history.generator)
            #expect(throws: JournalDamage.self) { try StoredBatch(header, content: damaged) }
        }
        for length in 0..<content.count {
            #expect(throws: JournalDamage.self) {
                try StoredBatch(header, content: Array(content[..<length]))
            }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `bytes that somebody changed on purpose never crash`(seed: UInt64) {
        var history = JournalHistory(seed: seed)
        let (header, content) = blob([history.batch(inputs: 5, passes: 5)])
        for _ in 0..<500 {
            var damaged = Array(content.dropLast(4))
            for _ in 0..<Int.random(in: 1...4, using: &history.generator) {
                let place = Int.random(in: 0..<damaged.count, using: &history.generator)
                damaged[place] = UInt8.random(in: 0...255, using: &history.generator)
            }
            let checksum = Checksum.of(header.columns, after: Checksum.of(damaged))
            for place in 0..<4 { damaged.append(UInt8(truncatingIfNeeded: checksum >> (8 * place))) }
            do throws(JournalDamage) {
                let stored = try StoredBatch(header, content: damaged)
                #expect(stored.entries.count == header.count)
            } catch {
                #expect(error.batch == 7)
            }
        }
    }

    @Test func `the damage is named with the actions it concerns`() throws {
        var batch = JournalBatch(generation: 1, firstSequence: 41)
        for number in 1...2 as ClosedRange<UInt64> {
            batch.entries.append(
                JournalEntry(
                    action: JournalHistory.action("a", Int64(number)),
                    source: .here().caused(by: ActionCause(.input, number)), time: nil))
        }
        let (header, content) = blob([batch])
        let changed = #expect(throws: JournalDamage.self) {
            try StoredBatch(header, content: content.dropLast() + [content[content.count - 1] ^ 1])
        }
        #expect(
            changed?.description
                == "actions 41 to 42 of the journal cannot be read: expected another checksum at byte \(content.count - 4) of its content"
        )
        let other = #expect(throws: JournalDamage.self) {
            var header = header
            header.id = 8
            return try StoredBatch(header, content: content)
        }
        #expect(
            other?.description
                == "actions 41 to 42 of the journal cannot be read: expected another checksum at byte \(content.count - 4) of its content"
        )
    }

    @Test func `an entry that stands for an input nobody knows says so`() throws {
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        let source = ActionSource.here().caused(by: ActionCause(.input, 9))
        batch.entries = [JournalEntry(action: nil, source: source, time: nil)]
        var header = BatchHeader(id: 1, first: 1, count: 0, input: 0, effect: 0, open: 1, time: 0)
        var encoder = BatchEncoder()
        encoder.begin(header, epoch: 1, generation: 1, after: 0)
        encoder.append(batch, latestInput: 9) { _ in false }
        header.count = 1
        encoder.finish(header)
        let stored = try StoredBatch(header, content: encoder.bytes)
        #expect(stored.entries[0].cause == .input(9))
        #expect(stored.entries[0].encodingFailure == "the input that it was is not known")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `an encoder that has written rows writes the next as a fresh one does`(seed: UInt64) throws {
        var history = JournalHistory(seed: seed)
        var used = BatchEncoder()
        for row in 1...4 as ClosedRange<Int64> {
            let batches = (0..<2).map { _ in history.batch(inputs: 30, passes: 20) }
            var header = BatchHeader(
                id: row, first: batches[0].firstSequence, count: 0, input: 1_000_000, effect: 0, open: row,
                time: 1_763_000_000.25)
            var fresh = BatchEncoder()
            func write(by encoder: inout BatchEncoder) {
                encoder.begin(header, epoch: 3, generation: batches[0].generation, after: 7)
                for batch in batches { encoder.append(batch, latestInput: 1_000_000) { _ in true } }
                header.count = encoder.count
                encoder.finish(header)
            }
            write(by: &used)
            write(by: &fresh)
            #expect(used.count == fresh.count)
            #expect(used.bytes == fresh.bytes)
            #expect(used.checksum == fresh.checksum)
        }
    }

    @Test func `each place is described once, however many there are`() {
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        let files = (1...10).map { "<\($0)>" }
        for file in files + files {
            let source = ActionSource(file: file, function: "", line: 1, info: nil)
            batch.entries.append(JournalEntry(action: AnyAction("a"), source: source, time: nil))
        }
        let text = String(decoding: blob([batch]).content, as: UTF8.self)
        #expect(files.map { text.ranges(of: $0).count } == Array(repeating: 1, count: 10))
    }

    @Test(arguments: [1, 127, 128, 129, 16_383, 16_384, 1 << 28, JournalNumbers.limit - 1] as [UInt64])
    func `numbers of any size come back`(number: UInt64) throws {
        let source = ActionSource(file: "in", function: "", line: UInt(number), info: nil)
        var batch = JournalBatch(generation: Int(number), firstSequence: number)
        batch.inputs = [JournalInput(number: number, source: source, line: [])]
        batch.entries = [
            JournalEntry(action: nil, source: source.caused(by: ActionCause(.input, number)), time: nil),
            JournalEntry(
                action: AnyAction("a"), source: source.at(line: 1).caused(by: ActionCause(.output, number)),
                time: nil),
        ]
        batch.done = [number, number / 2]
        var effect = JournalEffect(
            number: number, instance: "i", sequence: number, recovery: .forget, input: number, key: "k")
        (effect.ordinal, effect.attempt) = (UInt32(clamping: number), UInt32(clamping: number))
        batch.begun = [effect]
        batch.ended = [number / 2, number]
        let header = BatchHeader(
            id: Int64(number), first: number, count: 2, input: number, effect: number, open: 1,
            time: Double(number))
        var encoder = BatchEncoder()
        encoder.begin(header, epoch: Int(number), generation: Int(number), after: .max)
        encoder.append(batch, latestInput: number) { $0 == number }
        encoder.finish(header)
        let stored = try StoredBatch(header, content: encoder.bytes)
        #expect(stored.epoch == Int(number))
        #expect(stored.generation == Int(number))
        #expect(stored.previous == .max)
        #expect(stored.checksum == encoder.checksum)
        #expect(stored.inputs.map(\.number) == [number])
        #expect(stored.inputs.map(\.line) == [UInt(number)])
        #expect(stored.entries.map(\.cause) == [.input(number), .output(of: number)])
        #expect(stored.entries.map(\.line) == [UInt(number), 1])
        #expect(stored.entries.map { $0.bytes == nil } == [true, false])
        #expect(stored.done == [number...number, number / 2...number / 2])
        #expect(stored.begun == [effect])
        #expect(stored.ended == (number == 1 ? [0...1] : [number / 2...number / 2, number...number]))
    }

    @Test(arguments: [1, 100, 128, 16_384, 2_097_152])
    func `an action of any length comes back`(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let action = AnyAction("a", payload: .string(text))
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        batch.inputs = [JournalInput(number: 1, source: .here(), action: action)]
        batch.entries = [JournalEntry(action: action, source: .here(), time: nil)]
        let (header, content) = blob([batch])
        let stored = try StoredBatch(header, content: content)
        let expected = JournalHistory.bytes(of: action)
        #expect(Array(stored.content[try #require(stored.entries[0].bytes)]) == expected)
        #expect(Array(stored.content[stored.inputs[0].bytes]) == expected)
        #expect(stored.entries[0].encodingFailure == nil)
        #expect(stored.inputs[0].encodingFailure == nil)
    }

    @Test func `each entry has its own line, and none reaches past the last`() throws {
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        let lines = [#"{"type":"a"}"#, #"{"type":"b/c"}"#, #"{"type":"d"}"#]
        batch.lines = Array(lines.joined().utf8)
        for line in lines {
            batch.entries.append(
                JournalEntry(action: nil, lineLength: line.utf8.count, source: .here(), time: nil))
            batch.entries.append(JournalEntry(action: AnyAction("e"), source: .here(), time: nil))
        }
        batch.entries[4].lineLength += 5
        let (header, content) = blob([batch, batch])
        let stored = try StoredBatch(header, content: content)
        let texts = try stored.entries.map {
            String(decoding: stored.content[try #require($0.bytes)], as: UTF8.self)
        }
        let expected = [lines[0], #"{"type":"e"}"#, lines[1], #"{"type":"e"}"#, lines[2], #"{"type":"e"}"#]
        #expect(texts == expected + expected)
        #expect(stored.entries.allSatisfy { $0.encodingFailure == nil })
    }

    @Test func `an input as cause that is later than all inputs is none`() throws {
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        let source = ActionSource.here().caused(by: ActionCause(.input, 9))
        batch.entries = [JournalEntry(action: AnyAction("a"), source: source, time: nil)]
        let (header, content) = blob([batch], latestInput: 8)
        #expect(try StoredBatch(header, content: content).entries.map(\.cause) == [.input(0)])
    }

    @Test func `an input that has changed on its way is written with the action that it became`() throws {
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        let source = ActionSource.here().caused(by: ActionCause(.input, 9))
        batch.lines = Array(#"{"type":"b"}"#.utf8)
        batch.entries = [
            JournalEntry(action: AnyAction("a"), source: source, time: nil),
            JournalEntry(action: nil, lineLength: 12, source: source, time: nil),
            JournalEntry(action: nil, source: source, time: nil),
        ]
        let (header, content) = blob([batch])
        let stored = try StoredBatch(header, content: content)
        #expect(
            stored.entries.map { $0.bytes.map { String(decoding: stored.content[$0], as: UTF8.self) } }
                == [#"{"type":"a"}"#, #"{"type":"b"}"#, nil])
        #expect(stored.entries.map(\.cause) == [.input(9), .input(9), .input(9)])
    }
}
