// SPDX-License-Identifier: Apache-2.0

/// Numbers that were given and not yet taken back, and the batch in which each was given; a bit for each number in between.
///
/// Made for numbers that are given in order, or nearly so, and do not stay for long; those that are far from the others are kept apart.
struct OpenNumbers {
    /// The numbers that one batch gave.
    private struct Run {
        /// The batch.
        let batch: Int64
        /// The smallest number that it gave.
        var lowest: UInt64
        /// The greatest number that it gave.
        var highest: UInt64
    }

    /// The number of the first bit; a multiple of 64.
    private var base: UInt64 = 0
    /// The bits from there on, set for numbers that are open.
    private var words: [UInt64] = []
    /// The batches that may have given numbers which are open, oldest first.
    private var runs: [Run] = []
    /// Numbers that are far from those that have bits, with the batch in which each was given.
    private var far: [UInt64: Int64] = [:]
    /// How many numbers with a bit are open.
    private var count = 0

    /// How many numbers have bits at most: 8 MiB of them.
    private static let most: UInt64 = 1 << 26

    /// Whether a number is open.
    func contains(_ number: UInt64) -> Bool {
        // One that was far may have bits around it by now, where the others have come near it.
        if !far.isEmpty, far[number] != nil { return true }
        guard number >= base, (number - base) >> 6 < UInt64(words.count) else { return false }
        return words[Int((number - base) >> 6)] & 1 << (number & 63) != 0
    }

    /// Gives a number in a batch, which is no older than those before.
    mutating func insert(_ number: UInt64, in batch: Int64) {
        if count == 0 {
            words.removeAll(keepingCapacity: true)
            runs.removeAll(keepingCapacity: true)
            base = number & ~63
        }
        let last = base + UInt64(words.count) << 6
        guard number < base ? last - number <= Self.most : number - base < Self.most else {
            far[number] = batch
            return
        }
        if number < base {
            // All at once: one after the other would take minutes where a file says so.
            let more = Int((base - number + 63) >> 6)
            words.insert(contentsOf: repeatElement(0, count: more), at: 0)
            base -= UInt64(more) << 6
        }
        while (number - base) >> 6 >= UInt64(words.count) { words.append(0) }
        let place = Int((number - base) >> 6)
        let bit: UInt64 = 1 << (number & 63)
        if words[place] & bit == 0 { count += 1 }
        words[place] |= bit
        if let last = runs.last, last.batch == batch {
            runs[runs.count - 1].lowest = min(last.lowest, number)
            runs[runs.count - 1].highest = max(last.highest, number)
        } else {
            runs.append(Run(batch: batch, lowest: number, highest: number))
        }
    }

    /// Takes a number back; one that is not open changes nothing.
    mutating func remove(_ number: UInt64) {
        guard contains(number), far.removeValue(forKey: number) == nil else { return }
        words[Int((number - base) >> 6)] &= ~(1 << (number & 63))
        count -= 1
    }

    /// Takes numbers back; those that are not open change nothing.
    mutating func remove(_ numbers: ClosedRange<UInt64>) {
        if !far.isEmpty { far = far.filter { !numbers.contains($0.key) } }
        let end = base + UInt64(words.count) << 6
        guard numbers.upperBound >= base, numbers.lowerBound < end else { return }
        for number in max(numbers.lowerBound, base)...min(numbers.upperBound, end - 1) { remove(number) }
    }

    /// The oldest batch that gave a number which is still open; nil when none is.
    mutating func oldestBatch() -> Int64? {
        let farthest = far.values.min()
        guard count > 0 else { return farthest }
        let isUnused = words.prefix { $0 == 0 }.count
        if isUnused >= 64 {
            words.removeFirst(isUnused)
            base += UInt64(isUnused) << 6
        }
        let closed = runs.prefix { run in !hasOpen(run.lowest...run.highest) }.count
        runs.removeFirst(closed)
        return [runs.first?.batch, farthest].compactMap { $0 }.min()
    }

    /// Whether one of some numbers is open.
    private func hasOpen(_ numbers: ClosedRange<UInt64>) -> Bool {
        guard numbers.upperBound >= base else { return false }
        return (max(numbers.lowerBound, base)...numbers.upperBound).contains { contains($0) }
    }
}
