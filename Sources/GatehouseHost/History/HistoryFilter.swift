// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
internal import GatehouseSupport

/// Which actions of the past are wanted.
public struct HistoryFilter: Equatable, Sendable {
    /// Where a part of the past begins or ends.
    public enum Bound: Equatable, Sendable {
        /// At the action with a number.
        case sequence(UInt64)
        /// At a moment, in seconds since 1970: when actions were written down.
        case time(Double)

        /// The number of the action; nil for a moment.
        var sequence: UInt64? {
            guard case .sequence(let sequence) = self else { return nil }
            return sequence
        }

        /// The moment; nil for a number.
        var moment: Double? {
            guard case .time(let time) = self else { return nil }
            return time
        }

        /// Reads a number, or a moment such as `2026-01-31T12:00:00Z`; nil for anything else.
        public init?(_ text: String) {
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
    public var types: TypePattern?
    /// The instance that emitted them; nil for all, and for input.
    public var instance: String?
    /// The first that is wanted; nil for the first there is.
    public var from: Bound?
    /// The last that is wanted; nil for the last there is.
    public var to: Bound?
    /// Only so many of them, the newest; nil for all.
    public var last: Int?

    /// A filter that lets everything through.
    public init() {}

    /// Whether the filter looks at more than numbers.
    var looksInside: Bool { types != nil || instance != nil }

    /// The moments between which wanted actions were written down; nil where none is named.
    var moments: ClosedRange<Double>? {
        guard from?.moment != nil || to?.moment != nil else { return nil }
        let first = from?.moment ?? -.infinity
        return first...max(first, to?.moment ?? .infinity)
    }

    /// Whether an action is wanted whose number is between the bounds.
    func admits(_ entry: HistoryEntry) -> Bool {
        if let moment = from?.moment, entry.time < moment { return false }
        if let moment = to?.moment, entry.time > moment { return false }
        if let types, !types.covers(entry.type) { return false }
        if let instance, entry.instance != instance { return false }
        return true
    }
}
