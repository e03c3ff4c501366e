// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal

extension JournalBatch {
    /// Takes everything out that belongs to actions up to one.
    ///
    /// - Parameter buffers: give the memory for what comes next.
    mutating func takeSettled(upTo sequence: UInt64, from buffers: JournalBuffers) -> JournalBatch {
        guard !isEmpty else { return JournalBatch(generation: generation, firstSequence: firstSequence) }
        let count = sequence + 1 > firstSequence ? min(Int(sequence + 1 - firstSequence), entries.count) : 0
        guard count < entries.count || begun.contains(where: { $0.sequence > sequence }) else {
            // Nearly always all of it.
            var rest = JournalBatch(
                generation: generation, firstSequence: firstSequence + UInt64(entries.count))
            if let free = buffers.take() {
                (rest.entries, rest.lines) = (free.entries, free.lines)
            } else {
                // The next one is likely as large.
                rest.entries.reserveCapacity(entries.count)
                rest.lines.reserveCapacity(lines.count)
            }
            swap(&self, &rest)
            return rest
        }
        // What is left is little: what the pass in hand has led to so far.
        var rest = JournalBatch(generation: generation, firstSequence: firstSequence + UInt64(count))
        let length = entries[count...].reduce(0) { $0 + $1.lineLength }
        rest.entries = Array(entries[count...])
        rest.lines = Array(lines.suffix(length))
        entries.removeLast(rest.entries.count)
        lines.removeLast(length)
        let open = begun.firstIndex { $0.sequence > sequence } ?? begun.endIndex
        rest.begun = Array(begun[open...])
        begun.removeSubrange(open...)
        let firstLeft = rest.begun.first?.number ?? .max
        // What was begun in a process before this one waits for nothing here, whatever the number of its action.
        rest.resumed = resumed.filter { $0.number >= firstLeft }
        resumed.removeAll { $0.number >= firstLeft }
        rest.ended = ended.filter { $0 >= firstLeft }
        ended.removeAll { $0 >= firstLeft }
        swap(&self, &rest)
        return rest
    }
}
