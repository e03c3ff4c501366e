// SPDX-License-Identifier: Apache-2.0

/// Goes through actions of the past in order. Used from one thread.
public final class HistoryCursor {
    /// Reads the journal.
    private let cursor: JournalCursor
    /// Which of the actions are wanted.
    private let filter: HistoryFilter
    /// What was read ahead, in order.
    private var readAhead: ArraySlice<History.Item> = []

    /// A cursor before the first action of a part of the past.
    init(
        _ reader: JournalReader, _ filter: HistoryFilter = HistoryFilter(), from first: UInt64,
        to last: UInt64
    ) {
        cursor = reader.records(from: first, to: last)
        self.filter = filter
    }

    /// The next action that is wanted, or what is missing; nil when there is nothing more, for the moment where a host still writes.
    public func next() throws(JournalFailure) -> History.Item? {
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

    /// Gives these again before what comes next.
    func putBack(_ items: ArraySlice<History.Item>) { readAhead = items }
}
