// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The time that others may hold the file.
struct BusyTimeout: Codable, Sendable {
    /// From 0 to 60,000.
    let milliseconds: Int

    /// Creates the default, five seconds.
    init() { milliseconds = 5000 }

    /// Reads the number; throws an error with its place for one out of range.
    init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int.self)
        guard (0...60_000).contains(milliseconds) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "0 to 60000", found: String(milliseconds))
        }
    }

    /// Writes the time as a plain number of milliseconds, as in the settings.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
