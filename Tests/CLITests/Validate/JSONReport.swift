// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// What `gatehouse validate --json` has printed.
struct JSONReport {
    /// What the report says about one check.
    struct Check {
        let name: String
        let outcome: String
        let sentences: [String]
        let calls: [String]
    }

    /// The report as it was printed.
    let value: Value
    /// The checks, in order.
    let checks: [Check]

    init(_ text: String) throws {
        value = try JSONText.parse(text)
        checks = try #require(value["checks"]?.arrayValue).map { check in
            Check(
                name: try #require(check["name"]?.stringValue),
                outcome: try #require(check["outcome"]?.stringValue),
                sentences: check["sentences"]?.arrayValue?.compactMap(\.stringValue) ?? [],
                calls: check["calls"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        }
    }
}
