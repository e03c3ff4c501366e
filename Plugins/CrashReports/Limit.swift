// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// How many reports are kept: a setting with a range is a type of its own.
struct Limit: Codable, Sendable {
    /// From 1 to 1,000.
    let count: Int

    /// The default, 20 reports.
    init() { count = 20 }

    /// Reads the number; one out of range is an error with its place.
    init(from decoder: any Decoder) throws {
        count = try decoder.singleValueContainer().decode(Int.self)
        guard (1...1000).contains(count) else {
            throw CodingFailure(at: decoder.codingPath, expected: "1 to 1000", found: String(count))
        }
    }

    /// Writes the limit as a plain number, as it stands in the settings.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }
}
