// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The statistics of a set of actions.
struct Cell: Codable, Sendable {
    /// The number of actions.
    private(set) var count = 0
    /// The most further actions of this key, while it had no cell of its own.
    var error = 0
    /// The number of actions with a number.
    private(set) var values = 0
    /// The sum of the numbers, without `rest`.
    private var sum = 0.0
    /// The rounding errors of the sum so far.
    private var rest = 0.0
    /// The smallest number; nil for none.
    private(set) var least: Double?
    /// The largest number; nil for none.
    private(set) var most: Double?
    /// The distribution of the numbers; nil if not requested.
    private(set) var sketch: Sketch?
    /// The count of different texts; nil if not requested.
    private(set) var distinct: DistinctCount?

    /// The largest number to add: sums of larger ones might be infinite.
    static let largest = 1e200

    /// Creates an empty cell.
    init() {}

    /// Adds one action, with its number and its text if a summary uses them.
    mutating func add(_ number: Double?, _ text: String?, for summary: Summary) {
        count.saturatingAdd(1)
        if let number {
            values.saturatingAdd(1)
            addToSum(number)
            least = min(least ?? number, number)
            most = max(most ?? number, number)
            if !summary.percentiles.isEmpty {
                // In place: copying all buckets for each action would cost more than the rest.
                if sketch == nil { sketch = Sketch() }
                sketch?.add(number)
            }
        }
        if let text {
            if distinct == nil { distinct = DistinctCount() }
            distinct?.add(text)
        }
    }

    /// Adds the actions of another cell.
    mutating func merge(_ other: Cell) {
        count.saturatingAdd(other.count)
        error.saturatingAdd(other.error)
        values.saturatingAdd(other.values)
        addToSum(other.sum)
        rest += other.rest
        least = [least, other.least].compactMap { $0 }.min()
        most = [most, other.most].compactMap { $0 }.max()
        if let found = other.sketch { if sketch?.merge(found) == nil { sketch = found } }
        if let found = other.distinct { if distinct?.merge(found) == nil { distinct = found } }
    }

    /// Adds by Neumaier's summation, which keeps the part that the larger of two numbers swallows.
    private mutating func addToSum(_ number: Double) {
        let total = sum + number
        rest += abs(sum) >= abs(number) ? (sum - total) + number : (number - total) + sum
        sum = total
    }

    /// Returns the members of a summary.
    func told(for summary: Summary) -> Members {
        var told: Members = ["count": .integer(Int64(count))]
        if error > 0 { told["error"] = .integer(Int64(error)) }
        if summary.value != nil {
            told["values"] = .integer(Int64(values))
            told["sum"] = .double(sum + rest)
            if let least { told["min"] = .double(least) }
            if let most { told["max"] = .double(most) }
            if let sketch, let least, let most, least <= most {
                told["percentiles"] = .object(
                    Members(
                        summary.percentiles.compactMap { percentile in
                            sketch.quantile(percentile.value / 100).map {
                                (percentile.name, .double(min(max($0, least), most)))
                            }
                        }))
            }
        }
        if summary.distinct != nil { told["distinct"] = .integer(Int64(distinct?.estimate ?? 0)) }
        return told
    }

    /// Reads a cell; brings values written by hand back into the range of adding.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        count = max(try container.decode(Int.self, forKey: .count), 0)
        error = max(try container.decode(Int.self, forKey: .error), 0)
        values = max(try container.decode(Int.self, forKey: .values), 0)
        sum = Self.bounded(try container.decode(Double.self, forKey: .sum))
        rest = Self.bounded(try container.decode(Double.self, forKey: .rest))
        least = try container.decodeIfPresent(Double.self, forKey: .least).map(Self.bounded)
        most = try container.decodeIfPresent(Double.self, forKey: .most).map(Self.bounded)
        sketch = try container.decodeIfPresent(Sketch.self, forKey: .sketch)
        distinct = try container.decodeIfPresent(DistinctCount.self, forKey: .distinct)
    }

    /// Limits a number so that sums stay finite.
    private static func bounded(_ number: Double) -> Double { min(max(number, -1e250), 1e250) }
}
