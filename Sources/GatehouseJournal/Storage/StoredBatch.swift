// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The content of a row, read and verified; the bytes of its actions stay where they are.
///
/// An object, because readers hand it about for each record.
final class StoredBatch {
    /// A place without its line.
    struct Origin: Sendable, Equatable {
        /// The file or the input's name.
        let file: String
        /// The id of the instance; nil for an input from outside.
        let instance: String?
    }

    /// An input in the blob.
    struct Input: Sendable {
        /// Its number among the inputs.
        let number: UInt64
        /// The index of its place's origin.
        let origin: Int
        /// The line of its place.
        let line: UInt
        /// What its writer calls it.
        let id: String?
        /// Where its bytes are in the blob.
        let bytes: Range<Int>
        /// Why it could not be encoded.
        let encodingFailure: String?
    }

    /// An entry in the blob.
    struct Entry: Sendable {
        /// What led to it.
        let cause: JournalCause
        /// The index of its place's origin.
        let origin: Int
        /// The line of its place.
        let line: UInt
        /// What reducers that asked for the time were told.
        let time: Double?
        /// Where its bytes are in the blob; nil for the input that the cause names.
        let bytes: Range<Int>?
        /// Why it could not be encoded.
        let encodingFailure: String?
    }

    /// What the row says of it.
    let header: BatchHeader
    /// The number of the opening in which it was written.
    let epoch: Int
    /// The number of the host's generation.
    let generation: Int
    /// The blob.
    let content: [UInt8]
    /// The checksum of the batch before it; 0 for none, nil where an older host has not written it.
    let previous: UInt32?
    /// The places of inputs and entries.
    private(set) var origins: [Origin] = []
    /// The inputs, in the order in which they were handed over.
    private(set) var inputs: [Input] = []
    /// The entries, from the first sequence on.
    private(set) var entries: [Entry] = []
    /// Inputs whose pass is over.
    private(set) var done: [ClosedRange<UInt64>] = []
    /// Effects that were begun.
    private(set) var begun: [JournalEffect] = []
    /// Effects that have ended.
    private(set) var ended: [ClosedRange<UInt64>] = []

    /// Reads a blob and compares it with what its row says.
    ///
    /// - Throws: what is wrong with it. No bytes make it trap.
    convenience init(_ header: BatchHeader, content: [UInt8]) throws(JournalDamage) {
        do throws(BatchReader.Mistake) {
            try self.init(reading: header, content)
        } catch {
            throw JournalDamage(
                kind: .changed("\(error)"), batch: header.id, sequences: header.sequences)
        }
    }

    /// Reads a blob.
    private init(reading header: BatchHeader, _ content: [UInt8]) throws(BatchReader.Mistake) {
        self.header = header
        self.content = content
        var reader = try BatchReader(content, of: header)
        let id = try reader.number()
        let first = try reader.number()
        let distance = try reader.number()
        epoch = try reader.count(of: "the epoch")
        generation = try reader.count(of: "the generation")
        let time = try reader.double()
        previous = try reader.previous()
        guard id == UInt64(bitPattern: header.id), first == header.first,
            distance == UInt64(bitPattern: header.id &- header.open), time == header.time
        else { throw BatchReader.Mistake(offset: 0, expected: "the content of batch \(header.id)") }
        while !reader.isAtEnd { try readGroup(&reader) }
        guard entries.count == header.count else {
            throw BatchReader.Mistake(
                offset: reader.offset, expected: "\(header.count) actions instead of \(entries.count)")
        }
    }

    /// Its own checksum, by which the next batch names it.
    var checksum: UInt32 { UInt32(littleEndian: content.suffix(4)) }

    /// Makes sure that it was written after a batch.
    ///
    /// - Parameter checksum: of the batch with the number before; nil where that is not known.
    func follow(_ checksum: UInt32?) throws(JournalDamage) {
        guard let checksum, let previous, previous != checksum else { return }
        throw JournalDamage(
            kind: .changed("it was written after another batch \(header.id - 1) than the one that is there"),
            batch: header.id, sequences: header.sequences)
    }

    /// Reads what was handed over at one moment of rest.
    private func readGroup(_ reader: inout BatchReader) throws(BatchReader.Mistake) {
        let inputCount = try reader.elementCount()
        inputs.reserveCapacity(inputs.count + inputCount)
        for _ in 0..<inputCount {
            let number = try reader.nearInput()
            let (origin, line) = try place(&reader)
            let mark = try reader.byte()
            let id = mark & 1 != 0 ? try reader.text() : nil
            let bytes = try reader.span()
            let encodingFailure = mark & 2 != 0 ? try reader.text() : nil
            inputs.append(
                Input(
                    number: number, origin: origin, line: line, id: id, bytes: bytes,
                    encodingFailure: encodingFailure))
        }
        let entryCount = try reader.elementCount()
        entries.reserveCapacity(entries.count + entryCount)
        for _ in 0..<entryCount {
            let sequence = header.first &+ UInt64(entries.count)
            let mark = try reader.byte()
            let cause = try reader.cause(mark & 7, of: sequence)
            let (origin, line) = try place(&reader)
            let time = mark & BatchEncoder.Mark.hasTime != 0 ? try reader.double() : nil
            let bytes = mark & BatchEncoder.Mark.hasAction != 0 ? try reader.span() : nil
            let encodingFailure = mark & BatchEncoder.Mark.hasEncodingFailure != 0 ? try reader.text() : nil
            entries.append(
                Entry(
                    cause: cause, origin: origin, line: line, time: time, bytes: bytes,
                    encodingFailure: encodingFailure))
        }
        try reader.readRuns(into: &done)
        for _ in 0..<(try reader.elementCount()) { begun.append(try reader.effect()) }
        try reader.readRuns(into: &ended)
    }

    /// Reads a place.
    private func place(
        _ reader: inout BatchReader
    ) throws(BatchReader.Mistake) -> (origin: Int, line: UInt) {
        let number = try reader.number()
        guard number <= UInt64(origins.count) else {
            throw BatchReader.Mistake(offset: reader.offset, expected: "a known place")
        }
        if number == UInt64(origins.count) {
            let file = try reader.text()
            origins.append(Origin(file: file, instance: try reader.byte() == 0 ? nil : try reader.text()))
        }
        return (Int(number), try reader.nearLine())
    }

    /// An input with its bytes.
    func record(of input: Input) -> JournalInputRecord {
        let origin = origins[input.origin]
        return JournalInputRecord(
            number: input.number, file: origin.file, line: input.line, instance: origin.instance,
            id: input.id, bytes: Array(content[input.bytes]), encodingFailure: input.encodingFailure)
    }

    /// The input with a number; nil when it is not in this batch.
    func input(_ number: UInt64) -> Input? {
        guard let first = inputs.first else { return nil }
        // Numbers nearly always follow each other.
        let distance = number &- first.number
        if distance < UInt64(inputs.count), inputs[Int(distance)].number == number {
            return inputs[Int(distance)]
        }
        return inputs.first { $0.number == number }
    }
}
