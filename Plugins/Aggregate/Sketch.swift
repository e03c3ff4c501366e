// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
private import Glibc

/// A distribution of numbers with percentiles within 1 % of the number itself: a DDSketch.
///
/// Numbers of similar size share a bucket, whose bounds differ by a factor of 1.01/0.99. Sketches of parts merge to the sketch
/// of the whole, in any order.
struct Sketch: Codable, Sendable, Equatable {
    /// The greatest distance of an estimate from the number, as a fraction of it.
    static let accuracy = 0.01
    /// The most buckets of each sign; beyond that those of the smallest sizes merge.
    static let mostBuckets = 512
    /// Numbers nearer to zero count as zero.
    static let smallest = 1e-9

    /// The logarithm of the factor between the bounds of a bucket.
    private static let width = 0.020000666706669543
    /// The factor from an upper bound to the estimate, equally far from both bounds.
    private static let middle = 2 / (1 + (1 + accuracy) / (1 - accuracy))

    /// The number of numbers in each bucket above zero.
    private(set) var positive: [Int: Int] = [:]
    /// The same below zero, by their sizes.
    private(set) var negative: [Int: Int] = [:]
    /// The number of numbers that count as zero.
    private(set) var zero = 0

    /// Creates an empty sketch.
    init() {}

    /// Adds a number, which must be finite.
    mutating func add(_ number: Double) {
        if abs(number) < Self.smallest {
            zero.saturatingAdd(1)
        } else if number > 0 {
            Self.add(1, at: Self.bucket(number), to: &positive)
        } else {
            Self.add(1, at: Self.bucket(-number), to: &negative)
        }
    }

    /// Adds the numbers of another sketch.
    mutating func merge(_ other: Sketch) {
        zero.saturatingAdd(other.zero)
        for (bucket, count) in other.positive { Self.add(count, at: bucket, to: &positive) }
        for (bucket, count) in other.negative { Self.add(count, at: bucket, to: &negative) }
    }

    /// Returns the number below which a fraction of all numbers lies, from 0 to 1; nil for no numbers.
    ///
    /// Of n numbers in order it is the one at the place `part` · (n − 1), rounded down.
    func quantile(_ part: Double) -> Double? {
        let count = (Array(positive.values) + Array(negative.values)).reduce(zero) { $0.saturatingAdding($1) }
        guard count > 0 else { return nil }
        var rank = Int((min(max(part, 0), 1) * Double(count - 1)).rounded(.down))
        for (bucket, count) in negative.sorted(by: { $0.key > $1.key }) {
            if rank < count { return -Self.estimate(bucket) }
            rank -= count
        }
        if rank < zero { return 0 }
        rank -= zero
        let buckets = positive.sorted { $0.key < $1.key }
        for (bucket, count) in buckets {
            if rank < count { return Self.estimate(bucket) }
            rank -= count
        }
        return buckets.last.map { Self.estimate($0.key) }
    }

    /// Returns the bucket of a size.
    private static func bucket(_ size: Double) -> Int { Int((log(size) / width).rounded(.up)) }

    /// Returns the estimate for a bucket; limits an impossible bucket, written by hand, to the nearest possible one.
    private static func estimate(_ bucket: Int) -> Double {
        exp(Double(min(max(bucket, -2_000), 32_000)) * width) * middle
    }

    /// Adds to a bucket, and merges two if there are too many.
    private static func add(_ count: Int, at bucket: Int, to buckets: inout [Int: Int]) {
        buckets[bucket, default: 0].saturatingAdd(count)
        guard buckets.count > mostBuckets else { return }
        let least = buckets.keys.sorted().prefix(2)
        guard let lowest = least.first, let next = least.last,
            let joined = buckets.removeValue(forKey: lowest)
        else { return }
        buckets[next, default: 0].saturatingAdd(joined)
    }

    /// Reads a sketch; omits counts below one, written by hand.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        zero = max(try container.decode(Int.self, forKey: .zero), 0)
        for (bucket, count) in try container.decode([Int: Int].self, forKey: .positive) where count > 0 {
            Self.add(count, at: bucket, to: &positive)
        }
        for (bucket, count) in try container.decode([Int: Int].self, forKey: .negative) where count > 0 {
            Self.add(count, at: bucket, to: &negative)
        }
    }
}
