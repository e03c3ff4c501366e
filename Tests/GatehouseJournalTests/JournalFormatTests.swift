// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseJournal
@testable import GatehouseSDK
@testable import GatehouseSupport

/// An action that has no wire form when it is not a number.
private enum Price: PluginAction { case price(Double) }

/// What is on the disk, byte for byte: a journal outlives the version that has written it.
@Suite(.timeLimit(.minutes(10))) struct JournalFormatTests {
    /// The columns of the row.
    private static let header = BatchHeader(
        id: 300, first: 1_000, count: 5, input: 70, effect: 9, open: 298, time: 1_763_000_000.25)

    /// A batch in which everything occurs that a batch can have.
    private static var batch: JournalBatch {
        let outside = ActionSource(file: "in.ndjson", function: "", line: 12, info: nil)
        let inside = ActionSource(file: "a.swift", function: "handle", line: 7, info: nil).emitted(
            by: "count")
        let encodingFailure = AnyAction(type: ActionType("b"), typed: Price.price(.nan), isError: false)
        var batch = JournalBatch(generation: 2, firstSequence: 1_000)
        batch.inputs = [
            JournalInput(number: 69, source: outside, line: Array(#"{"type":"a"}"#.utf8), id: "n"),
            JournalInput(number: 70, source: outside, action: encodingFailure),
        ]
        batch.lines = Array(#"{"type":"c"}"#.utf8)
        batch.entries = [
            JournalEntry(action: nil, source: outside.caused(by: ActionCause(.input, 69)), time: nil),
            JournalEntry(
                action: JournalHistory.action("d", 5), source: inside.caused(by: ActionCause(.output, 1_000)),
                time: 0.5),
            JournalEntry(
                action: encodingFailure, source: inside.caused(by: ActionCause(.effect, 900)), time: nil),
            JournalEntry(
                action: nil, lineLength: 12, source: outside.caused(by: ActionCause(.own, 1_003)), time: nil),
            JournalEntry(action: nil, source: outside.caused(by: ActionCause(.input, 3)), time: nil),
        ]
        batch.done = [3, 4, 5, 69]
        var begun = JournalEffect(
            number: 8, instance: "i", sequence: 1_000, recovery: .again, input: 69, key: "k")
        (begun.ordinal, begun.attempt) = (1, 2)
        batch.begun = [begun]
        batch.resumed = [
            JournalEffect(number: 9, instance: "i", sequence: 999, recovery: .forget, key: ""),
            JournalEffect(number: 200, instance: "i", sequence: 998, recovery: .tell, key: ""),
        ]
        batch.ended = [7]
        return batch
    }

    /// The digits of the blob.
    private static let blob =
        "04ac02e807020602000010b04f45da4104030201"
        + "028a010009696e2e6e646a736f6e001801016e0c7b2274797065223a2261227d000000028c8080007b22"
        + "74797065223a2262227d2e2f70726963652f5f303a20657870656374656420612066696e697465206e75"
        + "6d6265722c20666f756e64206e616e"
        + "05018a0100001a020107612e73776966740105636f756e7409000000000000e03fa38080007b22747970"
        + "65223a2264222c227061796c6f6164223a7b226e756d626572223a357d7d2b6701008c8080007b227479"
        + "7065223a2262227d2e2f70726963652f5f303a20657870656374656420612066696e697465206e756d62"
        + "65722c20666f756e64206e616e0c01000a0c7b2274797065223a2263227d298501000000227468652069"
        + "6e707574207468617420697420776173206973206e6f74206b6e6f776e"
        + "0206037e01"
        + "03080169e807016b01024501090169e7070000010002c8010169e6070000010000"
        + "010e01"
        + "6f8b8577"
    /// The blob.
    private static let bytes = stride(from: 0, to: blob.utf8.count, by: 2).map { place in
        UInt8(blob.dropFirst(place).prefix(2), radix: 16) ?? 0
    }
    /// Where the blob names the batch before.
    private static let previous = 16..<20
    /// Where it has what effects have since form 3.
    private static let effects = [329..<333, 339..<343, 350..<354]

    @Test func `a batch has these bytes`() {
        var encoder = BatchEncoder()
        encoder.begin(Self.header, epoch: 6, generation: 2, after: 0x0102_0304)
        encoder.append(Self.batch, latestInput: 70) { $0 >= 69 }
        #expect(encoder.count == 5)
        encoder.finish(Self.header)
        #expect(encoder.bytes.hex == Self.blob)
    }

    @Test func `these bytes are the batch`() throws {
        let stored = try StoredBatch(Self.header, content: Self.bytes)
        #expect(stored.epoch == 6)
        #expect(stored.generation == 2)
        #expect(stored.previous == 0x0102_0304)
        #expect(
            stored.origins == [
                StoredBatch.Origin(file: "in.ndjson", instance: nil),
                StoredBatch.Origin(file: "a.swift", instance: "count"),
            ])
        let reason = "/price/_0: expected a finite number, found nan"
        #expect(
            stored.inputs.map(stored.record(of:)) == [
                JournalInputRecord(
                    number: 69, file: "in.ndjson", line: 12, instance: nil, id: "n",
                    bytes: Array(#"{"type":"a"}"#.utf8), encodingFailure: nil),
                JournalInputRecord(
                    number: 70, file: "in.ndjson", line: 12, instance: nil, id: nil,
                    bytes: Array(#"{"type":"b"}"#.utf8), encodingFailure: reason),
            ])
        #expect(
            stored.entries.map(\.cause)
                == [.input(69), .output(of: 1_000), .effect(of: 900), .own(of: 1_003), .input(3)])
        #expect(stored.entries.map(\.origin) == [0, 1, 1, 0, 0])
        #expect(stored.entries.map(\.line) == [12, 7, 7, 12, 12])
        #expect(stored.entries.map(\.time) == [nil, 0.5, nil, nil, nil])
        #expect(
            stored.entries.map(\.encodingFailure)
                == [nil, nil, reason, nil, "the input that it was is not known"])
        #expect(
            stored.entries.map { $0.bytes.map { String(decoding: stored.content[$0], as: UTF8.self) } } == [
                nil, #"{"type":"d","payload":{"number":5}}"#, #"{"type":"b"}"#, #"{"type":"c"}"#, "",
            ])
        #expect(stored.done == [3...5, 69...69])
        #expect(stored.begun == Self.batch.running)
        #expect(stored.ended == [7...7])
    }

    // MARK: - Older forms

    /// The blob in an older form: some of its bytes are left out, and the checksum covers other bytes.
    private func older(
        _ form: UInt8, without parts: [Range<Int>], columns: [UInt8] = Self.header.columns
    ) -> [UInt8] {
        var bytes = Array(Self.bytes.dropLast(4))
        for part in parts.reversed() { bytes.removeSubrange(part) }
        bytes[0] = form
        bytes.append(
            littleEndian: Checksum.of(columns, after: Checksum.of(bytes)))
        return bytes
    }

    @Test func `a batch of form 3 does not name the one before`() throws {
        let stored = try StoredBatch(Self.header, content: older(3, without: [Self.previous]))
        #expect(stored.previous == nil)
        #expect(stored.begun == Self.batch.running)
        #expect(stored.ended == [7...7])
    }

    @Test(arguments: [1, 2] as [UInt8])
    func `effects of forms 1 and 2 have no place, and are told when they are interrupted`(form: UInt8) throws
    {
        let content = older(
            form, without: [Self.previous] + Self.effects, columns: form == 1 ? [] : Self.header.columns)
        let stored = try StoredBatch(Self.header, content: content)
        #expect(
            stored.begun == [
                JournalEffect(number: 8, instance: "i", sequence: 1_000, key: "k"),
                JournalEffect(number: 9, instance: "i", sequence: 999, key: ""),
                JournalEffect(number: 200, instance: "i", sequence: 998, key: ""),
            ])
        #expect(stored.begun.map(\.recovery) == [.tell, .tell, .tell])
        #expect(stored.begun.map(\.attempt) == [1, 1, 1])
        #expect(stored.ended == [7...7])
    }

    @Test(arguments: [0, 5] as [UInt8]) func `a form that nobody has written is refused`(form: UInt8) {
        let damage = #expect(throws: JournalDamage.self) {
            try StoredBatch(Self.header, content: older(form, without: []))
        }
        #expect(damage?.kind == .changed("expected form 4 at byte 0 of its content"))
    }

    // MARK: - Beside batches

    @Test func `the columns of a row have these bytes`() {
        #expect(
            Self.header.columns.hex
                == "2c01000000000000" + "e803000000000000" + "0500000000000000" + "4600000000000000"
                + "0900000000000000" + "2a01000000000000" + "000010b04f45da41")
    }

    @Test func `a promise has these bytes, and these bytes are a promise`() throws {
        let temporary = try TemporaryFolder()
        let folder = try temporary.makeFolder("journal")
        let path = folder + "/journal.promise"
        let content = JournalPromise.Content(
            name: "some-journal",
            extent: JournalExtent(batch: 1, sequence: 2, input: 3, epoch: 4, generation: 5), used: 6)
        let promise = try JournalPromise(folder: folder, content)
        let made = try FileSystem.read(path)
        // Both slots were written, the second one last.
        #expect(made.count == 512 + 88)
        #expect(made[..<88].hex == Self.slot(2, checksum: "7f721842"))
        #expect(made[88..<512].allSatisfy { $0 == 0 })
        #expect(made[512...].hex == Self.slot(1, checksum: "40da7066"))
        #expect(try JournalPromise.read(folder: folder) == .content(content))
        try promise.raise(to: JournalExtent(batch: 7, sequence: 8, input: 9, epoch: 10, generation: 11))
        #expect(try FileSystem.read(path)[..<512] == made[..<512])
        #expect(
            try JournalPromise.read(folder: folder)
                == .content(
                    JournalPromise.Content(
                        name: "some-journal",
                        extent: JournalExtent(batch: 7, sequence: 8, input: 9, epoch: 10, generation: 11),
                        used: 9)))
    }

    /// A slot of the promise above, in the digits of its bytes.
    private static func slot(_ count: Int, checksum: String) -> String {
        let numbers = [count, 1, 2, 3, 4, 5, 6].map { "0\($0)00000000000000" }.joined()
        return "47485031" + checksum + numbers + "0c" + "736f6d652d6a6f75726e616c"
            + String(repeating: "00", count: 11)
    }

    @Test func `a name of an input has this checksum`() {
        #expect(JournalIDs.checksum(of: "id", input: 5, time: 1_763_000_000.25) == 3_730_629_499)
    }

    @Test func `a value has these bytes`() throws {
        let bytes = CheckedBlob.bytes(of: ["a": 1])
        #expect(bytes.hex == "7b2261223a317d" + "afac1b56")
        #expect(CheckedBlob.seal(bytes, with: [1, 2]).hex == "7b2261223a317d" + "6c5b3340")
        #expect(try CheckedBlob.value(of: bytes) == ["a": 1])
        #expect(try CheckedBlob.value(of: CheckedBlob.seal(bytes, with: [1, 2]), with: [1, 2]) == ["a": 1])
    }
}

extension Sequence<UInt8> {
    /// Two digits for each byte.
    fileprivate var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
