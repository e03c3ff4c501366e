// SPDX-License-Identifier: Apache-2.0

/// A position in the order of a partition's actions: numbers, compared one after the other.
package struct ClusterOffset: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// When the action was appended, in milliseconds since 1970 by the engine's clock; never less than for the action before it, even
    /// when that clock is set back.
    package var high: UInt64
    /// Orders actions of the same time.
    package var low: UInt64
    /// The position among actions appended together, from 1; `whole` for the last of them.
    package var place: UInt16

    /// The place of the last of several actions, after all of them.
    package static let whole = UInt16.max
    /// The offset before all actions.
    package static let start = ClusterOffset(0, 0)

    /// Creates an offset from its numbers.
    package init(_ high: UInt64, _ low: UInt64, place: UInt16 = whole) {
        self.high = high
        self.low = low
        self.place = place
    }

    /// The time in whole seconds.
    package var seconds: Int { Int(high / 1_000) }

    /// Reads `HIGH-LOW` or `HIGH-LOW.PLACE`; nil if it is neither.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let high = UInt64(parts[0]) else { return nil }
        let places = parts[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let low = UInt64(places[0]) else { return nil }
        self.init(high, low)
        if places.count > 1 {
            guard let place = UInt16(places[1]), place > 0, place < Self.whole else { return nil }
            self.place = place
        }
    }

    /// The written form, such as `1700000000000-3`, or `1700000000000-3.17` if others follow that were appended together with it.
    package var description: String { place == Self.whole ? "\(high)-\(low)" : "\(high)-\(low).\(place)" }

    package static func < (one: ClusterOffset, other: ClusterOffset) -> Bool {
        (one.high, one.low, one.place) < (other.high, other.low, other.place)
    }
}
