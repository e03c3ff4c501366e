// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseJournal

extension TrialExtent {
    /// Returns the numbers of the part's actions; nil where there are none.
    func part(of history: History) throws(JournalFailure) -> ClosedRange<UInt64>? {
        let earliest = try history.earliestState()
        // A running host writes more meanwhile: both sides end at the same action.
        guard let bounds = try history.bounds() else { return nil }
        let end = min(to ?? bounds.upperBound, bounds.upperBound)
        var first = from ?? 1
        if let last, end >= last { first = end - last + 1 }
        if let since {
            guard let found = try history.reader.sequences(writtenIn: since...Double.greatestFiniteMagnitude)
            else { return nil }
            first = max(first, found.bounds.lowerBound)
        }
        // Where actions were removed, no state from before the oldest snapshot is left to start with.
        if earliest < end { first = max(first, earliest + 1) }
        return first <= end ? first...end : nil
    }
}
