// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseManifest
internal import GatehouseSupport

/// Selects actions of the past.
package struct HistoryFilter: Equatable, Sendable {
    /// A bound of a part of the past.
    package enum Bound: Equatable, Sendable {
        /// At the action with a number.
        case sequence(UInt64)
        /// At a moment, in seconds since 1970, at which actions were recorded.
        case time(Double)

        /// The number of the action; nil for a moment.
        package var sequence: UInt64? {
            guard case .sequence(let sequence) = self else { return nil }
            return sequence
        }

        /// The moment; nil for an action's number.
        package var moment: Double? {
            guard case .time(let time) = self else { return nil }
            return time
        }

        /// Reads a number, or a moment such as `2026-01-31T12:00:00Z`; nil for anything else.
        package init?(_ text: String) {
            if let sequence = UInt64(text) {
                self = .sequence(sequence)
            } else if let time = UnixTime.seconds(in: text) {
                self = .time(time)
            } else {
                return nil
            }
        }
    }

    /// The types; nil for all.
    package var types: TypePattern?
    /// The emitting instance; nil for all, and for input.
    package var instance: String?
    /// What the wire form of an action contains; nil for anything.
    package var text: RecordedText?
    /// The first action; nil for the first there is.
    package var from: Bound?
    /// The last action; nil for the last there is.
    package var to: Bound?
    /// The most actions, counted from the newest; nil for all.
    package var last: Int?

    /// Creates a filter that selects everything.
    package init() {}

    /// Whether the filter looks at more than numbers.
    var looksInside: Bool { types != nil || instance != nil || text != nil }

    /// The moments between which selected actions were recorded; nil where none is given.
    var moments: ClosedRange<Double>? {
        guard from?.moment != nil || to?.moment != nil else { return nil }
        let first = from?.moment ?? -.infinity
        return first...max(first, to?.moment ?? .infinity)
    }

    /// Whether the filter selects an action whose number is within the bounds.
    func admits(_ entry: JournalRecord) -> Bool {
        if let moment = from?.moment, entry.batchTime < moment { return false }
        if let moment = to?.moment, entry.batchTime > moment { return false }
        if let types, !types.covers(entry.type) { return false }
        if let instance, entry.instance != instance { return false }
        return text?.occurs(in: entry) ?? true
    }
}
