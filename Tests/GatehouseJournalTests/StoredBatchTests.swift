// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehouseSupport

/// What the blob of a row must be for the row to be that batch.
@Suite(.timeLimit(.minutes(10))) struct StoredBatchTests {
    /// The columns of a row without entries.
    private static let header = BatchHeader(
        id: 7, first: 41, count: 0, input: 0, effect: 0, open: 5, time: 12.5)

    /// A blob of form 1, whose checksum covers no columns.
    private func blob(
        id: UInt8 = 7, first: UInt8 = 41, distance: UInt8 = 2, time: Double = 12.5, groups: [UInt8] = []
    ) -> [UInt8] {
        var bytes: [UInt8] = [1, id, first, distance, 3, 1]
        bytes.append(littleEndian: time.bitPattern)
        bytes += groups
        bytes.append(littleEndian: Checksum.of(bytes))
        return bytes
    }

    /// What is wrong with a blob; nil for what is a batch.
    private func reason(_ header: BatchHeader, _ content: [UInt8]) -> JournalDamage? {
        do throws(JournalDamage) {
            _ = try StoredBatch(header, content: content)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a blob is that of its row if number, sequence, oldest batch and time are the same`() throws {
        let stored = try StoredBatch(Self.header, content: blob())
        #expect(stored.header == Self.header)
        #expect(stored.epoch == 3)
        #expect(stored.generation == 1)
        let damage = JournalDamage(
            kind: .changed("expected the content of batch 7 at byte 0 of its content"), batch: 7,
            sequences: nil)
        for other in [blob(id: 8), blob(first: 42), blob(distance: 3), blob(time: 12)] {
            #expect(reason(Self.header, other) == damage)
        }
    }

    @Test func `a blob has as many entries as its row says`() {
        var header = Self.header
        header.count = 2
        #expect(
            reason(header, blob())
                == JournalDamage(
                    kind: .changed("expected 2 actions instead of 0 at byte 14 of its content"), batch: 7,
                    sequences: 41...42))
    }

    @Test func `a place is known or the next new one`() throws {
        // An input of number 1 at a place, with an empty line.
        let known: [UInt8] = [1, 2, 0, 1, 120, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(try StoredBatch(Self.header, content: blob(groups: known)).inputs.map(\.origin) == [0])
        var unknown = known
        unknown[2] = 1
        #expect(
            reason(Self.header, blob(groups: unknown))?.kind
                == .changed("expected a known place at byte 17 of its content"))
    }

    @Test func `several groups of a blob follow each other`() throws {
        let first: [UInt8] = [1, 2, 0, 1, 120, 0, 0, 0, 0, 0, 0, 0, 0]
        let second: [UInt8] = [1, 0, 0, 2, 1, 1, 110, 1, 33, 0, 0, 0, 0]
        let stored = try StoredBatch(Self.header, content: blob(groups: first + second))
        #expect(stored.origins == [StoredBatch.Origin(file: "x", instance: nil)])
        #expect(
            stored.inputs.map(stored.record(of:)) == [
                JournalInputRecord(
                    number: 1, file: "x", line: 0, instance: nil, id: nil, bytes: [], encodingFailure: nil),
                JournalInputRecord(
                    number: 2, file: "x", line: 1, instance: nil, id: "n", bytes: [33], encodingFailure: nil),
            ])
    }

    @Test func `an input is found by its number, in whichever order they came`() throws {
        let source = ActionSource(file: "in", function: "", line: 1, info: nil)
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        batch.inputs = ([5, 6, 9, 8, 3] as [UInt64]).map {
            JournalInput(number: $0, source: source, line: Array("\($0)".utf8))
        }
        let header = BatchHeader(id: 1, first: 1, count: 0, input: 9, effect: 0, open: 1, time: 0)
        var encoder = BatchEncoder()
        encoder.begin(header, epoch: 1, generation: 1, after: 0)
        encoder.append(batch, latestInput: 9) { _ in true }
        encoder.finish(header)
        let stored = try StoredBatch(header, content: encoder.bytes)
        for number in [5, 6, 9, 8, 3] as [UInt64] { #expect(stored.input(number)?.number == number) }
        for number in [0, 4, 7, 10, .max] as [UInt64] { #expect(stored.input(number) == nil) }
        #expect(try StoredBatch(Self.header, content: blob()).input(0) == nil)
    }

    @Test func `a batch follows the one that it names, where both are known`() throws {
        let header = BatchHeader(id: 7, first: 41, count: 0, input: 0, effect: 0, open: 7, time: 0)
        var encoder = BatchEncoder()
        encoder.begin(header, epoch: 1, generation: 1, after: 99)
        encoder.finish(header)
        let stored = try StoredBatch(header, content: encoder.bytes)
        #expect(stored.checksum == encoder.checksum)
        #expect(stored.previous == 99)
        try stored.follow(99)
        try stored.follow(nil)
        let damage = #expect(throws: JournalDamage.self) { try stored.follow(98) }
        #expect(
            damage
                == JournalDamage(
                    kind: .changed("it was written after another batch 6 than the one that is there"),
                    batch: 7, sequences: nil))
        try StoredBatch(Self.header, content: blob()).follow(98)
    }

    @Test func `a row says which actions it has, and which comes next`() {
        var header = Self.header
        #expect(header.sequences == nil)
        #expect(header.next == 41)
        header.count = 1
        #expect(header.sequences == 41...41)
        header.count = 3
        #expect(header.sequences == 41...43)
        #expect(header.next == 44)
    }
}
