// SPDX-License-Identifier: Apache-2.0

/// The past as a journal tells it: read-only, also beside the host that writes it. Used from one thread.
public final class History {
    /// What comes next in the past.
    public enum Item: Equatable, Sendable {
        /// An action.
        case entry(HistoryEntry)
        /// Actions that should be there and are not, and why, in one sentence.
        case damage(String)
        /// Actions that a host has removed meanwhile, because its journal keeps no more, in one sentence.
        case gap(String)
    }

    /// Reads the journal.
    let reader: JournalReader

    /// Opens the journal in a folder.
    ///
    /// - Throws: that there is none, that it is something else, or why it cannot be read.
    public init(folder: String) throws(JournalFailure) { reader = try JournalReader(folder: folder) }

    /// The numbers of the actions that are kept; nil when there are none.
    public func bounds() throws(JournalFailure) -> ClosedRange<UInt64>? { try reader.bounds() }

    /// The first action behind which the state can still be made: 0, or that of the oldest snapshot where actions were removed.
    func earliestState() throws(JournalFailure) -> UInt64 {
        guard let first = try reader.bounds()?.lowerBound, first > 1 else { return 0 }
        return try reader.snapshots().good.map(\.sequence).filter { $0 + 1 >= first }.min() ?? .max
    }

    /// The actions that a filter lets through, in order.
    public func entries(_ filter: HistoryFilter = HistoryFilter()) throws(JournalFailure) -> HistoryCursor {
        let first = try sequence(of: filter.from) ?? 0
        let last = try end(of: filter.to)
        guard let count = filter.last else { return HistoryCursor(reader, filter, from: first, to: last) }
        // What is looked for by its number alone is found without a look at those before.
        if !filter.looksInside {
            let newest = min(last, try reader.bounds()?.upperBound ?? 0)
            let start = newest >= UInt64(count) ? newest - UInt64(count) + 1 : 0
            return HistoryCursor(reader, filter, from: max(first, start), to: last)
        }
        let all = HistoryCursor(reader, filter, from: first, to: last)
        var kept: [Item] = []
        while let item = try all.next() {
            kept.append(item)
            if kept.count >= 2 * count { kept.removeFirst(kept.count - count) }
        }
        all.putBack(kept.suffix(count))
        return all
    }

    /// One action; nil when it is not kept.
    public func entry(_ sequence: UInt64) throws(JournalFailure) -> HistoryEntry? {
        guard case .entry(let entry)? = try HistoryCursor(reader, from: sequence, to: sequence).next() else {
            return nil
        }
        return entry
    }

    /// An action, all that led to it, and all that it led to, in order; empty when it is not kept.
    ///
    /// What it led to may stand anywhere behind it, so everything from there on is looked at.
    public func causes(of sequence: UInt64) throws(JournalFailure) -> [HistoryEntry] {
        guard let entry = try entry(sequence) else { return [] }
        var chain = [entry]
        while let last = chain.last, let before = last.cause.sequence, before < last.sequence,
            let cause = try self.entry(before)
        {
            chain.append(cause)
        }
        var found = Array(chain.reversed())
        var known: Set<UInt64> = [sequence]
        let rest = HistoryCursor(reader, from: sequence + 1, to: .max)
        while let item = try rest.next() {
            guard case .entry(let entry) = item, let cause = entry.cause.sequence, known.contains(cause)
            else {
                continue
            }
            known.insert(entry.sequence)
            found.append(entry)
        }
        return found
    }

    // MARK: - Bounds

    /// The number at which a part of the past begins.
    private func sequence(of bound: HistoryFilter.Bound?) throws(JournalFailure) -> UInt64? {
        switch bound {
        case nil: nil
        case .sequence(let sequence)?: sequence
        case .time(let time)?: try firstSequence(from: time)
        }
    }

    /// The number at which a part of the past ends.
    private func end(of bound: HistoryFilter.Bound?) throws(JournalFailure) -> UInt64 {
        switch bound {
        case nil: return .max
        case .sequence(let sequence)?: return sequence
        // All that was written down in the same moment belongs to it.
        case .time(let time)?:
            let next = try firstSequence(from: time.nextUp)
            return next == 0 ? 0 : next - 1
        }
    }

    /// The first action that was written down at a moment or later; the one behind the last when there is none.
    ///
    /// Looks at few of them, because times only grow as long as nobody sets the clock.
    private func firstSequence(from time: Double) throws(JournalFailure) -> UInt64 {
        guard let bounds = try reader.bounds() else { return 0 }
        var (low, high) = (bounds.lowerBound, bounds.upperBound + 1)
        while low < high {
            let middle = low + (high - low) / 2
            guard let entry = try firstEntry(from: middle) else {
                high = middle
                continue
            }
            if entry.time >= time { high = middle } else { low = entry.sequence + 1 }
        }
        return low
    }

    /// The first action from a number on that can be read.
    private func firstEntry(from sequence: UInt64) throws(JournalFailure) -> HistoryEntry? {
        let cursor = HistoryCursor(reader, from: sequence, to: .max)
        while let item = try cursor.next() {
            if case .entry(let entry) = item { return entry }
        }
        return nil
    }
}
