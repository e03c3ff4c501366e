// SPDX-License-Identifier: Apache-2.0

/// Goes through the records of a journal in order; waits at its end for what a host still writes.
///
/// Looks at the file for a moment at a time, so that whoever stops in the middle holds nothing up. One thread at a time.
package final class JournalCursor {
    /// What comes next in a journal.
    package enum Item: Sendable, Equatable {
        /// An action.
        case record(JournalRecord)
        /// Actions that should be there.
        case damage(JournalDamage)
    }

    /// The batches.
    private let table: BatchTable
    /// The first sequence that is wanted.
    private let first: UInt64
    /// The last sequence that is wanted.
    private let last: UInt64
    /// The last batch that must be there, and with it all before it from the first record on; nil where the cursor takes what there is,
    /// and when it was said to be missing.
    private var end: Int64?
    /// Whether actions are passed over whose inputs went with a batch that was too old; they are damage otherwise.
    private let skipsOrphans: Bool
    /// Whether a batch was damaged or missing that actions may refer to.
    private var hasMetDamage = false
    /// Rows that were read and not looked at, the next one at the end.
    private var rows: [BatchTable.Row] = []
    /// The batch in hand.
    private var batch: StoredBatch?
    /// The index of its next entry.
    private var index = 0
    /// Batches with inputs that entries to come may refer to, oldest first.
    private var inputs: [StoredBatch] = []
    /// The number of the batch that comes next; nil before the first.
    private var nextBatch: Int64?
    /// The sequence that comes next; nil before the first batch.
    private var nextSequence: UInt64?
    /// The checksum of the batch before the one that comes next; nil where that is not known.
    private var checksum: UInt32?
    /// The oldest batch that there was when that was looked for last; 0 before.
    private var lowest: Int64 = 0
    /// A damage whose end is not known yet.
    private var damage: JournalDamage?

    /// A cursor before the first record.
    ///
    /// - Parameters:
    ///   - end: the last batch that must be there; nil for whatever there is.
    ///   - skipsOrphans: whether actions are passed over whose inputs went with a batch that was too old.
    init(
        _ table: BatchTable, from first: UInt64, to last: UInt64 = .max, end: Int64? = nil,
        skipsOrphans: Bool = false
    ) {
        self.table = table
        self.first = first
        self.last = last
        self.end = end
        self.skipsOrphans = skipsOrphans
    }

    /// The next record, or what is missing; nil when there is nothing more at the moment.
    ///
    /// Damage is told once, with all actions that are lost by it together.
    package func next() throws(JournalFailure) -> Item? {
        while true {
            if let batch, let item = nextEntry(of: batch) { return item }
            if let nextSequence, nextSequence > last { return nil }
            guard let row = try nextRow() else {
                if let end, let nextBatch, nextBatch <= end {
                    begin(JournalDamage(kind: .missing, batch: nextBatch, sequences: nil))
                    self.end = nil
                }
                return endOfDamage(before: nil)
            }
            switch row {
            case .unreadable(let id, let words):
                begin(JournalDamage(kind: .unreadable(words), batch: id, sequences: nil))
                nextBatch = id + 1
            case .stored(let header, let content):
                if let item = take(header, content) { return item }
            }
        }
    }

    /// The next row, read when there is none left; nil after the last one.
    private func nextRow() throws(JournalFailure) -> BatchTable.Row? {
        if rows.isEmpty {
            if nextBatch == nil { nextBatch = try start() }
            guard let nextBatch else { return nil }
            rows = try table.rows(from: nextBatch).reversed()
        }
        return rows.popLast()
    }

    /// The batch to begin at: the oldest whose inputs the first record may be. Nil while there is none.
    private func start() throws(JournalFailure) -> Int64? {
        do throws(JournalFailure) {
            guard let id = try table.batch(with: first), let header = try table.header(from: id) else {
                return nil
            }
            return min(header.open, id)
        } catch {
            // What is damaged on the way there need not be what is wanted.
            return try table.bounds()?.lowerBound
        }
    }

    /// Takes a row in hand; gives the damage that ends before it.
    private func take(_ header: BatchHeader, _ content: [UInt8]) -> Item? {
        if let nextBatch, header.id > nextBatch, damage == nil, nextSequence != nil {
            let kind: JournalDamage.Kind = wasRemoved(before: header.id) ? .removed : .missing
            begin(JournalDamage(kind: kind, batch: nextBatch, sequences: nil))
        }
        if end != nil, nextSequence == nil, damage == nil, header.first > first {
            nextSequence = first
            begin(JournalDamage(kind: .missing, batch: header.id - 1, sequences: nil))
        }
        nextBatch = header.id + 1
        do throws(JournalDamage) {
            let stored = try StoredBatch(header, content: content)
            try stored.follow(checksum)
            checksum = stored.checksum
            let ended = endOfDamage(before: header.first)
            inputs.removeAll { $0.header.id < header.open }
            if !stored.inputs.isEmpty { inputs.append(stored) }
            batch = stored
            index = 0
            nextSequence = header.next
            return ended
        } catch {
            if nextSequence == nil, header.next > header.first { nextSequence = header.first }
            begin(error)
            return nil
        }
    }

    /// Whether no batch before one is there any more: a host that writes beside removes the oldest, and never one in the middle.
    private func wasRemoved(before id: Int64) -> Bool {
        if lowest < id { lowest = (try? table.bounds()?.lowerBound) ?? 0 }
        return lowest >= id
    }

    /// Takes note of a damage, which goes on where one is known already.
    private func begin(_ found: JournalDamage) {
        checksum = nil
        if found.kind != .removed { hasMetDamage = true }
        if damage == nil { damage = found }
    }

    /// The damage that ends before a sequence, if some of it is wanted.
    private func endOfDamage(before sequence: UInt64?) -> Item? {
        guard let damage else { return nil }
        self.damage = nil
        var sequences = damage.sequences
        if let nextSequence, let sequence, sequence > nextSequence { sequences = nextSequence...sequence - 1 }
        if let sequences {
            nextSequence = max(nextSequence ?? 0, sequences.upperBound + 1)
            guard sequences.overlaps(first...max(first, last)) else { return nil }
        }
        return .damage(JournalDamage(kind: damage.kind, batch: damage.batch, sequences: sequences))
    }

    /// The next entry that is wanted; nil after the last one.
    private func nextEntry(of batch: StoredBatch) -> Item? {
        while index < batch.entries.count {
            let sequence = batch.header.first + UInt64(index)
            let entry = batch.entries[index]
            index += 1
            guard sequence >= first else { continue }
            guard sequence <= last else { return nil }
            if let item = item(sequence, entry, of: batch) { return item }
        }
        return nil
    }

    /// An entry with the bytes that it has or refers to; nil where these went with a batch that was too old.
    private func item(_ sequence: UInt64, _ entry: StoredBatch.Entry, of batch: StoredBatch) -> Item? {
        let bytes: [UInt8]
        var encodingFailure = entry.encodingFailure
        if let range = entry.bytes {
            bytes = Array(batch.content[range])
        } else {
            guard case .input(let number) = entry.cause, let (input, holder) = input(number) else {
                if skipsOrphans, !hasMetDamage, wasRemoved(before: batch.header.open + 1) { return nil }
                return .damage(
                    JournalDamage(
                        kind: .changed("the input that it was cannot be found"), batch: batch.header.id,
                        sequences: sequence...sequence))
            }
            bytes = Array(holder.content[input.bytes])
            encodingFailure = input.encodingFailure
        }
        let origin = batch.origins[entry.origin]
        return .record(
            JournalRecord(
                sequence: sequence, epoch: batch.epoch, generation: batch.generation,
                batchTime: batch.header.time, cause: entry.cause, file: origin.file, line: entry.line,
                instance: origin.instance, time: entry.time, bytes: bytes, encodingFailure: encodingFailure))
    }

    /// An input that an entry refers to, and the batch that it is in.
    private func input(_ number: UInt64) -> (StoredBatch.Input, StoredBatch)? {
        for batch in inputs {
            if let input = batch.input(number) { return (input, batch) }
        }
        return nil
    }
}
