// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One key of one rule, with a waiting action.
struct Wait: Codable, Hashable, Sendable {
    /// The name of the rule.
    let rule: String
    /// The key of the action.
    let key: String
    /// The required time of quiet, in seconds; from settings, or bounded by `init(from:)`.
    let quiet: Double

    /// The wait as a payload.
    var payload: Value { ["rule": .string(rule), "key": .string(key), "quiet": .double(quiet)] }
}

extension Wait {
    /// Reads a wait; bounds its time, because anybody may have written it.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rule = try container.decode(String.self, forKey: .rule)
        key = try container.decode(String.self, forKey: .key)
        quiet = min(max(try container.decode(Double.self, forKey: .quiet), 0), Seconds.longest)
    }
}
