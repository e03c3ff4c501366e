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
        let part = try part(of: filter)
        let (first, last) = (part.first, part.last)
        guard let count = filter.last else { return HistoryCursor(reader, filter, from: first, to: last) }
        // What is looked for by its number alone is found without a look at those before.
        if !filter.looksInside, part.isWhole {
            let newest = part.newest
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

    /// The part of the past in which everything is that a filter wants.
    ///
    /// What lies between two moments need not follow each other: somebody may have set the clock back.
    private func part(of filter: HistoryFilter) throws(JournalFailure) -> Part {
        var part = Part(first: filter.from?.sequence ?? 0, last: filter.to?.sequence ?? .max)
        part.newest = min(part.last, try reader.bounds()?.upperBound ?? 0)
        guard let moments = filter.moments else { return part }
        guard let found = try reader.sequences(writtenIn: moments) else {
            // Something that is wanted may still come.
            part.first = max(part.first, part.newest + 1)
            if filter.to?.moment != nil { part.last = 0 }
            return part
        }
        part.first = max(part.first, found.bounds.lowerBound)
        if filter.to?.moment != nil { part.last = found.bounds.upperBound }
        part.newest = min(part.newest, found.bounds.upperBound)
        part.isWhole = found.isWhole
        return part
    }

    /// A part of the past.
    private struct Part {
        /// The first action.
        var first: UInt64
        /// The last action, also one that is still to come.
        var last: UInt64
        /// The last action that is there.
        var newest: UInt64 = 0
        /// Whether every action of it lies between the moments that were asked for.
        var isWhole = true
    }
}
