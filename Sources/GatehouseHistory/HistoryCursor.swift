// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal

/// Iterates over actions of the past in order; used from one thread.
package final class HistoryCursor {
    /// Reads the journal.
    private let cursor: JournalCursor
    /// Selects the actions.
    private let filter: HistoryFilter
    /// Whether that is all of them.
    private let selectsAll: Bool
    /// Items read ahead, in order.
    private var readAhead: ArraySlice<JournalCursor.Item> = []

    /// Creates a cursor before the first action of a part of the past.
    ///
    /// - Parameter skipsOrphans: whether actions are passed over whose inputs were too old to stay; whoever reduces actions needs all.
    init(
        _ reader: JournalReader, _ filter: HistoryFilter = HistoryFilter(), from first: UInt64,
        to last: UInt64, skipsOrphans: Bool = true
    ) {
        cursor = reader.records(from: first, to: last, skipsOrphans: skipsOrphans)
        self.filter = filter
        selectsAll = !filter.looksInside && filter.moments == nil
    }

    /// Returns the next selected action or missing part; nil at the end, which may only be temporary while a host writes.
    package func next() throws(JournalFailure) -> JournalCursor.Item? {
        if let item = readAhead.popFirst() { return item }
        if selectsAll { return try cursor.next() }
        while let item = try cursor.next() {
            if case .record(let record) = item, !filter.admits(record) { continue }
            return item
        }
        return nil
    }

    /// Returns these items again before the next ones.
    func putBack(_ items: ArraySlice<JournalCursor.Item>) { readAhead = items }
}
