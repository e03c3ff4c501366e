// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehouseSupport

/// The parts of a blob, up to the last number and byte that is right.
@Suite(.timeLimit(.minutes(10))) struct BatchReaderTests {
    /// The columns of the row.
    private static let header = BatchHeader(
        id: 1, first: 1, count: 0, input: 0, effect: 0, open: 1, time: 0)

    /// A reader of some bytes after the first one.
    private func reader(_ bytes: [UInt8], form: UInt8 = 4) throws -> BatchReader {
        var blob = [form] + bytes
        blob.append(littleEndian: Checksum.of(form == 1 ? [] : Self.header.columns, after: Checksum.of(blob)))
        return try BatchReader(blob, of: Self.header)
    }

    /// What is wrong with some bytes when they are read.
    private func mistake<Result>(
        _ bytes: [UInt8], form: UInt8 = 4, _ body: (inout BatchReader) throws(BatchReader.Mistake) -> Result
    ) throws -> String? {
        var reader = try reader(bytes, form: form)
        do throws(BatchReader.Mistake) {
            _ = try body(&reader)
            return nil
        } catch {
            return "\(error.offset): \(error.expected)"
        }
    }

    /// A number in groups of 7 bits.
    private func groups(_ number: UInt64) -> [UInt8] {
        var (bytes, rest): ([UInt8], UInt64) = ([], number)
        while rest > 127 {
            bytes.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return bytes + [UInt8(rest)]
    }

    /// How far a number is from an expected one, folded.
    private func folded(_ number: UInt64, from expected: UInt64 = 0) -> [UInt8] {
        groups(number >= expected ? (number - expected) * 2 : (expected - number) * 2 - 1)
    }

    // MARK: - The blob

    @Test(arguments: 0...5)
    func `a blob has its form and a checksum at least`(count: Int) {
        let bytes = ([4, 0, 0, 0, 0] as [UInt8]).prefix(count)
        let mistake = #expect(throws: BatchReader.Mistake.self) {
            try BatchReader(Array(bytes), of: Self.header)
        }
        #expect(mistake?.offset == (count < 5 ? 0 : 1))
        #expect(mistake?.expected == (count < 5 ? "a checksum" : "another checksum"))
    }

    @Test func `all is read where the checksum begins, and nothing after that`() throws {
        var empty = try reader([])
        #expect(empty.isAtEnd)
        #expect(
            try mistake([]) { reader throws(BatchReader.Mistake) in try reader.byte() } == "1: more bytes")
        #expect(throws: BatchReader.Mistake.self) { try empty.byte() }
        var one = try reader([9])
        #expect(!one.isAtEnd)
        #expect(one.offset == 1)
        #expect(try one.byte() == 9)
        #expect(one.offset == 2)
        #expect(one.isAtEnd)
    }

    // MARK: - Numbers

    @Test(
        arguments: [0, 1, 127, 128, 16_383, 16_384, 1 << 35 - 1, 1 << 35, 1 << 56, 1 << 63, .max] as [UInt64])
    func `a number comes back from its groups of 7 bits`(number: UInt64) throws {
        var reader = try reader(groups(number))
        #expect(try reader.number() == number)
        #expect(reader.isAtEnd)
    }

    @Test func `a number has ten groups at most`() throws {
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in try reader.number() }
        #expect(try mistake(Array(repeating: 0x80, count: 9) + [1], read) == nil)
        #expect(try mistake(Array(repeating: 0x80, count: 10) + [1], read) == "11: a number")
        #expect(try mistake([0x80], read) == "2: more bytes")
    }

    @Test func `the batch before is named since form 4`() throws {
        var reader = try reader([1, 2, 3, 4])
        #expect(try reader.previous() == 0x0403_0201)
        #expect(reader.isAtEnd)
        for form in 1...3 as ClosedRange<UInt8> {
            var older = try self.reader([1, 2, 3, 4], form: form)
            #expect(try older.previous() == nil)
            #expect(older.offset == 1)
        }
    }

    @Test func `a number of 64 bits stands there as it is`() throws {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: 1_763_000_000.25.bitPattern)
        var reader = try reader(bytes)
        #expect(try reader.double() == 1_763_000_000.25)
        #expect(reader.isAtEnd)
    }

    @Test func `what is counted fits into a number of the machine`() throws {
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in
            try reader.count(of: "the epoch")
        }
        #expect(try mistake(groups(1 << 63 - 1), read) == nil)
        #expect(try mistake(groups(1 << 63), read) == "11: the epoch")
    }

    @Test func `each element takes a byte at least`() throws {
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in try reader.elementCount() }
        #expect(try mistake([2, 0, 0], read) == nil)
        #expect(try mistake([3, 0, 0], read) == "2: fewer elements")
        #expect(try mistake([0], read) == nil)
        #expect(try mistake(groups(.max), read) == "11: fewer elements")
    }

    @Test func `a text ends where its length says, and not past the end`() throws {
        var reader = try reader([2, 97, 98, 1, 99])
        #expect(try reader.span() == 2..<4)
        #expect(reader.offset == 4)
        #expect(try reader.text() == "c")
        #expect(reader.isAtEnd)
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in try reader.text() }
        #expect(try mistake([3, 97, 98], read) == "2: more bytes")
        #expect(try mistake(groups(.max), read) == "11: more bytes")
    }

    // MARK: - Inputs, lines and causes

    @Test func `inputs and lines follow the ones before`() throws {
        var reader = try reader(folded(7) + folded(8, from: 8) + folded(3, from: 9))
        #expect(try [reader.nearInput(), reader.nearInput(), reader.nearInput()] == [7, 8, 3])
        #expect(reader.isAtEnd)
        var lines = try self.reader(folded(7) + folded(9, from: 7) + folded(1, from: 9))
        #expect(try [lines.nearLine(), lines.nearLine(), lines.nearLine()] == [7, 9, 1])
        #expect(lines.isAtEnd)
    }

    @Test func `an input has no number that a journal does not give`() throws {
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in try reader.nearInput() }
        #expect(try mistake(folded(JournalNumbers.limit), read) == nil)
        #expect(try mistake(folded(JournalNumbers.limit + 1), read) == "9: an input's number")
    }

    @Test func `causes name inputs, and actions from this one backwards`() throws {
        var reader = try reader(
            folded(5) + folded(6, from: 6) + [1] + [3] + [9] + [0] + folded(6, from: 7) + folded(0, from: 7)
                + folded(7, from: 7))
        #expect(try reader.cause(0, of: 9) == .unknown)
        #expect(try reader.cause(1, of: 9) == .input(5))
        #expect(try reader.cause(1, of: 9) == .input(6))
        #expect(try reader.cause(2, of: 9) == .output(of: 9))
        #expect(try reader.cause(3, of: 9) == .effect(of: 7))
        #expect(try reader.cause(4, of: 9) == .own(of: 1))
        #expect(try reader.cause(4, of: 9) == .own(of: nil))
        // What an interceptor emits counts from the input that comes next, and is none itself.
        #expect(try reader.cause(5, of: 9) == .interception(of: 6))
        #expect(try reader.cause(5, of: 9) == .interception(of: nil))
        #expect(try reader.cause(1, of: 9) == .input(7))
        #expect(reader.isAtEnd)
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in try reader.cause(2, of: 9) }
        #expect(try mistake([10], read) == "2: an earlier action")
    }

    @Test(arguments: [6, 7] as [UInt8]) func `a cause of another kind is none`(kind: UInt8) throws {
        #expect(
            try mistake([1, 1]) { reader throws(BatchReader.Mistake) in
                _ = try reader.byte()
                return try reader.cause(kind, of: 9)
            } == "1: a known cause")
    }

    @Test func `causing inputs count by themselves`() throws {
        var reader = try reader(folded(5) + folded(3) + folded(6, from: 6) + folded(4, from: 4))
        #expect(try reader.nearInput() == 5)
        #expect(try reader.cause(1, of: 9) == .input(3))
        #expect(try reader.nearInput() == 6)
        #expect(try reader.cause(1, of: 9) == .input(4))
    }

    // MARK: - Effects

    /// The bytes of an effect.
    private func effect(number: UInt64 = 8, sequence: UInt64 = 9, recovery: UInt8 = 1) -> [UInt8] {
        groups(number) + [1, 105] + groups(sequence) + [1, 107, 2, 3, 4, recovery]
    }

    @Test func `an effect has these parts`() throws {
        var reader = try reader(effect())
        let read = try reader.effect()
        #expect(reader.isAtEnd)
        #expect((read.number, read.instance, read.sequence, read.key) == (8, "i", 9, "k"))
        #expect((read.ordinal, read.attempt, read.input, read.recovery) == (2, 3, 4, .again))
    }

    @Test func `an effect has numbers that a journal gives, and a recovery that is known`() throws {
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in try reader.effect() }
        let limit = JournalNumbers.limit
        #expect(try mistake(effect(number: limit, sequence: limit), read) == nil)
        #expect(try mistake(effect(number: limit + 1), read) == "14: an effect's number")
        #expect(try mistake(effect(sequence: limit + 1), read) == "14: an effect's number")
        #expect(try mistake(effect(recovery: 2), read) == nil)
        #expect(try mistake(effect(recovery: 3), read) == "10: a known recovery")
    }

    @Test func `effects of older forms end with their keys`() throws {
        for form in 1...2 as ClosedRange<UInt8> {
            var older = try reader(effect(), form: form)
            #expect(try older.effect().attempt == 1)
            #expect(older.offset == 7)
        }
        var newer = try reader(effect(), form: 3)
        #expect(try newer.effect().attempt == 3)
        #expect(newer.isAtEnd)
    }

    // MARK: - Runs

    @Test func `runs of numbers follow each other`() throws {
        var reader = try reader([3] + folded(4) + [2] + folded(9, from: 6) + [1] + folded(1, from: 10) + [3])
        var runs: [ClosedRange<UInt64>] = [0...0]
        try reader.readRuns(into: &runs)
        #expect(runs == [0...0, 4...5, 9...9, 1...3])
        #expect(reader.isAtEnd)
    }

    @Test func `a run has numbers, and none that a journal does not give`() throws {
        let limit = JournalNumbers.limit
        let read = { (reader: inout BatchReader) throws(BatchReader.Mistake) in
            var runs: [ClosedRange<UInt64>] = []
            try reader.readRuns(into: &runs)
        }
        #expect(try mistake([1] + folded(4) + [1], read) == nil)
        #expect(try mistake([1] + folded(4) + [0], read) == "4: a run of numbers")
        #expect(try mistake([1] + folded(limit - 1) + [1], read) == nil)
        #expect(try mistake([1] + folded(limit - 1) + [2], read) == "11: a run of numbers")
        #expect(try mistake([1] + folded(4) + groups(.max - 3), read) == "13: a run of numbers")
    }
}
