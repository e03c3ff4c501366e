// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal

/// Reads the past from a journal, read-only, even while a host writes it; used from one thread.
package final class History {
    /// Reads the journal.
    package let reader: JournalReader

    /// Opens the journal in a folder.
    ///
    /// - Throws: that the folder holds none or something else, or why it cannot be read.
    package init(folder: String) throws(JournalFailure) { reader = try JournalReader(folder: folder) }

    /// Returns the numbers of the kept actions; nil when there are none.
    package func bounds() throws(JournalFailure) -> ClosedRange<UInt64>? { try reader.bounds() }

    /// Returns the first action with a reachable state after it: 0, or that of the oldest snapshot after removals.
    func earliestState() throws(JournalFailure) -> UInt64 {
        guard let first = try reader.bounds()?.lowerBound, first > 1 else { return 0 }
        return try reader.snapshots().good.map(\.sequence).filter { $0 + 1 >= first }.min() ?? .max
    }

    /// Returns the actions that a filter selects, in order.
    package func entries(_ filter: HistoryFilter = HistoryFilter()) throws(JournalFailure) -> HistoryCursor {
        let part = try part(of: filter)
        let (first, last) = (part.first, part.last)
        guard let count = filter.last else { return HistoryCursor(reader, filter, from: first, to: last) }
        // A search by number alone skips the actions before.
        if !filter.looksInside, part.isWhole {
            let newest = part.newest
            let start = newest >= UInt64(count) ? newest - UInt64(count) + 1 : 0
            return HistoryCursor(reader, filter, from: max(first, start), to: last)
        }
        let all = HistoryCursor(reader, filter, from: first, to: last)
        var kept: [JournalCursor.Item] = []
        while let item = try all.next() {
            kept.append(item)
            if kept.count >= 2 * count { kept.removeFirst(kept.count - count) }
        }
        all.putBack(kept.suffix(count))
        return all
    }

    /// Returns one action; nil when it is not kept.
    package func entry(_ sequence: UInt64) throws(JournalFailure) -> JournalRecord? {
        let cursor = HistoryCursor(reader, from: sequence, to: sequence)
        if case .record(let entry)? = try cursor.next() { return entry }
        return nil
    }

    /// Returns an action with its causes and consequences, in order; empty when it is not kept.
    ///
    /// Consequences may be anywhere after the action, so the search goes to the last action to examine.
    ///
    /// - Parameters:
    ///   - last: where the search ends.
    ///   - takes: returns whether there is room for another action; one without room is left out.
    ///   - onDamage: called with each missing part of the journal after the action.
    package func causes(
        of sequence: UInt64, upTo last: UInt64 = .max, takes: (JournalRecord) -> Bool = { _ in true },
        onDamage: (JournalDamage) -> Void = { _ in }
    ) throws(JournalFailure) -> [JournalRecord] {
        guard let entry = try entry(sequence), takes(entry) else { return [] }
        var found = [entry]
        while let effect = found.last, let before = effect.cause.sequence, before < effect.sequence,
            let cause = try self.entry(before), takes(cause)
        {
            found.append(cause)
        }
        found.reverse()
        var known: Set<UInt64> = [sequence]
        let rest = HistoryCursor(reader, from: sequence + 1, to: last)
        while let item = try rest.next() {
            switch item {
            case .damage(let part): onDamage(part)
            case .record(let entry):
                guard let cause = entry.cause.sequence, known.contains(cause), takes(entry) else { continue }
                known.insert(entry.sequence)
                found.append(entry)
            }
        }
        return found
    }

    // MARK: - Bounds

    /// Returns a part of the past that includes everything a filter selects.
    ///
    /// Actions between two moments need not be consecutive: the clock may have been set back.
    private func part(of filter: HistoryFilter) throws(JournalFailure) -> Part {
        var part = Part(first: filter.from?.sequence ?? 0, last: filter.to?.sequence ?? .max)
        part.newest = min(part.last, try reader.bounds()?.upperBound ?? 0)
        guard let moments = filter.moments else { return part }
        guard let found = try reader.sequences(writtenIn: moments) else {
            // A matching action may still come.
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
        /// The last action, possibly one still to come.
        var last: UInt64
        /// The last existing action.
        var newest: UInt64 = 0
        /// Whether every action of the part is between the requested moments.
        var isWhole = true
    }
}
