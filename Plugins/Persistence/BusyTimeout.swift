// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// How long others may hold the file.
struct BusyTimeout: Codable, Sendable {
    /// From 0 to 60,000.
    let milliseconds: Int

    /// The default, five seconds.
    init() { milliseconds = 5000 }

    /// Reads the number; one out of range is an error with its place.
    init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int.self)
        guard (0...60_000).contains(milliseconds) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "0 to 60000", found: String(milliseconds))
        }
    }

    /// Writes the time as a plain number of milliseconds, as it stands in the settings.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
