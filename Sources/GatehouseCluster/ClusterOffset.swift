// SPDX-License-Identifier: Apache-2.0

/// A place in the order of a partition's actions: two numbers, compared one after the other; what they mean is the engine's own.
public struct ClusterOffset: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The number that decides first; milliseconds in Redis.
    public var high: UInt64
    /// The number that decides between equal ones.
    public var low: UInt64

    /// Before all actions.
    public static let start = ClusterOffset(0, 0)

    /// A place of its numbers.
    public init(_ high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads `HIGH-LOW`; nil if it is not that.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let high = UInt64(parts[0]), let low = UInt64(parts[1]) else { return nil }
        self.init(high, low)
    }

    /// As it is written, such as `1700000000000-3`.
    public var description: String { "\(high)-\(low)" }

    public static func < (one: ClusterOffset, other: ClusterOffset) -> Bool {
        (one.high, one.low) < (other.high, other.low)
    }
}
