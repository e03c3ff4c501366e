// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal

/// Iterates over actions of the past in order; used from one thread.
package final class HistoryCursor {
    /// Reads the journal.
    private let cursor: JournalCursor
    /// Selects the actions.
    private let filter: HistoryFilter
    /// Items read ahead, in order.
    private var readAhead: ArraySlice<History.Item> = []

    /// Creates a cursor before the first action of a part of the past.
    init(
        _ reader: JournalReader, _ filter: HistoryFilter = HistoryFilter(), from first: UInt64,
        to last: UInt64
    ) {
        cursor = reader.records(from: first, to: last)
        self.filter = filter
    }

    /// Returns the next selected action or missing part; nil at the end, which may only be temporary while a host writes.
    package func next() throws(JournalFailure) -> History.Item? {
        if let item = readAhead.popFirst() { return item }
        while let item = try cursor.next() {
            switch item {
            case .damage(let damage):
                return damage.kind == .removed ? .gap("\(damage)") : .damage("\(damage)")
            case .record(let record):
                let entry = HistoryEntry(record)
                if filter.admits(entry) { return .entry(entry) }
            }
        }
        return nil
    }

    /// Returns these items again before the next ones.
    func putBack(_ items: ArraySlice<History.Item>) { readAhead = items }
}
